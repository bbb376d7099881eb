import { describe, expect, it } from 'vitest';
import {
  readPerformRequest,
  readPreviewRequest,
} from '../../../../../dashboard/server/actions/read-request.ts';
import { StatusError } from '../../../../../shared/kube/errors/status-error.ts';

const NOW = 1_000;
const read = (body: unknown) => readPreviewRequest(body, 'id', NOW);
const refusal = (act: () => unknown): readonly [number, string] => {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.message];
    throw error;
  }
  return [200, ''];
};
const taint = (given: object) => ({ node: 'n1', action: 'taint', taint: given });

describe('what the page may ask for', () => {
  it.each(['cordon', 'uncordon', 'outOfService'])('is %s', (action) => {
    expect(read({ node: 'n1.example', action })).toEqual({ node: 'n1.example', action: { kind: action } });
  });

  it('is a taint, with the validation of the API', () => {
    expect(read(taint({ key: 'example.com/a', value: '', effect: 'NoExecute' }))).toEqual({
      node: 'n1',
      action: { kind: 'taint', taint: { key: 'example.com/a', effect: 'NoExecute' } },
    });
  });

  it('is a drain, which leaves pods of DaemonSets', () => {
    const { action, drainSpec } = read({
      node: 'n1',
      action: 'drain',
      drain: { force: true, timeoutSeconds: 60 },
    });
    expect(drainSpec).toEqual({ force: true, timeoutSeconds: 60, ignoreDaemonSets: true });
    expect(action).toMatchObject({
      kind: 'drain',
      request: { id: 'id', force: true, ignoreDaemonSets: true, deadlineAt: NOW + 60_000 },
    });
  });

  it.each([
    ['no object', [], 400, 'the body must be an object'],
    ['nothing', undefined, 400, 'the body must be an object'],
    ['another action', { node: 'n1', action: 'delete' }, 422, 'action: there is no action "delete"'],
    ['an inherited name', { node: 'n1', action: 'constructor' }, 422, 'action: there is no action'],
    ['no action', { node: 'n1' }, 422, 'action:'],
    ['a way up', { node: '../secrets', action: 'cordon' }, 422, 'node: a lowercase RFC 1123 subdomain'],
    ['a query', { node: 'n1?x=1', action: 'cordon' }, 422, 'node:'],
    ['no node', { action: 'cordon' }, 422, 'node:'],
    ['a node that is no text', { node: {}, action: 'cordon' }, 400, 'node must be a string'],
    [
      'a version',
      { node: 'n1', action: 'cordon', resourceVersion: '1' },
      400,
      'unknown field "resourceVersion"',
    ],
    ['values of another action', { node: 'n1', action: 'cordon', drain: {} }, 400, 'unknown field "drain"'],
    ['no taint', { node: 'n1', action: 'taint' }, 422, 'taint.key:'],
    ['a taint that is no object', taint([]), 400, 'taint must be an object'],
    ['a bad key', taint({ key: 'a b', effect: 'NoSchedule' }), 422, 'taint.key: Invalid value: "a b"'],
    [
      'a bad value',
      taint({ key: 'a', value: '/', effect: 'NoSchedule' }),
      422,
      'taint.value: Invalid value: "/"',
    ],
    ['a bad effect', taint({ key: 'a', effect: 'Never' }), 422, 'taint.effect: Unsupported value: "Never"'],
    [
      'a time of its own',
      taint({ key: 'a', effect: 'NoExecute', timeAdded: 'x' }),
      400,
      'unknown field "taint.timeAdded"',
    ],
    [
      'a drain that asks no budget',
      { node: 'n1', action: 'drain', drain: { disableEviction: true } },
      400,
      'unknown field "drain.disableEviction"',
    ],
    [
      'a bad time',
      { node: 'n1', action: 'drain', drain: { timeoutSeconds: 0 } },
      422,
      'spec.timeoutSeconds: Invalid value: 0',
    ],
    [
      'a long reason',
      { node: 'n1', action: 'drain', drain: { reason: 'x'.repeat(257) } },
      422,
      'spec.reason: Too long',
    ],
  ] as const)('is not %s', (_, body, code, text) => {
    const [given, message] = refusal(() => read(body));
    expect([given, message]).toEqual([code, expect.stringContaining(text)]);
  });

  it('is done with the ticket of a preview alone', () => {
    expect(readPerformRequest({ ticket: 't' })).toEqual({ ticket: 't', isOff: false });
    expect(readPerformRequest({ ticket: 't', isOff: true })).toEqual({ ticket: 't', isOff: true });
    expect(refusal(() => readPerformRequest({}))).toEqual([400, expect.stringContaining('ticket:')]);
    expect(refusal(() => readPerformRequest({ ticket: 't', node: 'n2' }))).toEqual([
      400,
      expect.stringContaining('unknown field "node"'),
    ]);
    expect(refusal(() => readPerformRequest({ ticket: 1 }))).toEqual([400, 'ticket must be a string']);
  });
});
