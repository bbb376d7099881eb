import { describe, expect, it } from 'vitest';
import { withServing } from '../../../../../agent/rules/node/serving.ts';
import { nodePath } from '../../../../../agent/rules/server/node-path.ts';

const [namespace, pod, container, uid] = ['ns', 'p', 'c', 'u'];

describe('a path of the agent’s server', () => {
  it.each<[string, object]>([
    ['/healthz', { kind: 'health' }],
    ['/containerLogs/ns/p/c', { kind: 'logs', namespace, pod, container }],
    ['/exec/ns/p/c', { kind: 'exec', namespace, pod, container }],
    ['/exec/ns/p/u/c', { kind: 'exec', namespace, pod, uid, container }],
    ['/attach/ns/p/u/c', { kind: 'attach', namespace, pod, uid, container }],
    ['/portForward/ns/p', { kind: 'portForward', namespace, pod }],
    ['/portForward/ns/p/u', { kind: 'portForward', namespace, pod, uid }],
    ['/containerLogs/n%73/p/c', { kind: 'logs', namespace, pod, container }],
    ['/containerLogs/ns/p', { kind: 'other' }],
    ['/containerLogs/ns/p/u/c', { kind: 'other' }],
    ['/exec/ns/p', { kind: 'other' }],
    ['/exec/ns/p/u/c/d', { kind: 'other' }],
    ['/exec/ns//u/c', { kind: 'other' }],
    ['/exec/%/p/c', { kind: 'other' }],
    ['/run/ns/p/c', { kind: 'other' }],
    ['/', { kind: 'other' }],
  ])('%s', (path, expected) => {
    expect(nodePath(path)).toEqual(expected);
  });
});

describe('the annotation of a Node about its server', () => {
  const KEY = 'rollcall.dev/serving-certificate';
  const serving = { port: 1, fingerprint: 'f' };
  it.each([
    [undefined, serving, { [KEY]: 'f' }],
    [{ a: 'b', [KEY]: 'old' }, serving, { a: 'b', [KEY]: 'f' }],
    [{ a: 'b', [KEY]: 'f' }, serving, undefined],
    [{ a: 'b', [KEY]: 'f' }, undefined, { a: 'b' }],
    [{ a: 'b' }, undefined, undefined],
  ])('%o with %o', (annotations, given, expected) => {
    expect(withServing(annotations, given)).toEqual(expected);
  });
});
