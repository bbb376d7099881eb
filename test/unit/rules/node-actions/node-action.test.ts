import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { isDone, type NodeAction, nodeAfter } from '../../../../shared/rules/node-actions/node-action.ts';
import { refusalsOf } from '../../../../shared/rules/node-actions/refusals.ts';
import { ready, taint, taintText } from '../../../support/objects/domain-objects.ts';
import { GRACE, node, request, T } from './world.ts';

const CORDON: NodeAction = { kind: 'cordon' };
const UNCORDON: NodeAction = { kind: 'uncordon' };
const OFF: NodeAction = { kind: 'outOfService' };
const OUT = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute';
const put = (text: string): NodeAction => ({ kind: 'taint', taint: taint(text) });
const take = (text: string): NodeAction => ({ kind: 'untaint', taint: taint(text) });
const drain = (more: Parameters<typeof request>[0] = {}): NodeAction => ({
  kind: 'drain',
  request: request(more),
});
const acted = (one: Node, ...actions: readonly NodeAction[]): Node =>
  actions.reduce((before, action) => nodeAfter(before, action, T), one);
const taintsOf = (one: Node): readonly string[] => (one.spec?.taints ?? []).map(taintText);

describe('a Node after an action (J-330)', () => {
  it.each([
    ['a cordon', [CORDON], ['node.kubernetes.io/unschedulable:NoSchedule']],
    ['a cordon and its end', [CORDON, UNCORDON], []],
    ['a taint', [put('a=b:NoExecute')], ['a=b:NoExecute']],
    ['a taint with another value', [put('a=b:NoExecute'), put('a=c:NoExecute')], ['a=c:NoExecute']],
    ['a taint and its end', [put('a=b:NoExecute'), take('a:NoExecute')], []],
    ['out of service', [OFF], [OUT]],
  ] as const)('%s', (_, actions, wanted) => {
    expect(taintsOf(acted(node(), ...actions))).toEqual(wanted);
  });

  it('loses its request for a drain with the cordon (E-13)', () => {
    const { metadata } = acted(node(), drain(), UNCORDON, CORDON);
    expect(metadata.annotations).toBeUndefined();
  });
});

describe('an action that is done (J-331)', () => {
  it.each([
    ['a cordon', [CORDON], CORDON, true],
    ['a cordon of a schedulable node', [], CORDON, false],
    ['an uncordon of a schedulable node', [], UNCORDON, true],
    ['a taint', [put('a=b:NoExecute')], put('a=b:NoExecute'), true],
    ['a taint of another value', [put('a=b:NoExecute')], put('a:NoExecute'), false],
    ['a taint that is not there', [], take('a:NoExecute'), true],
    ['the same drain', [drain()], drain({ id: 'two', by: 'bob', requestedAt: T + 1 }), true],
    ['a drain with more options', [drain()], drain({ id: 'two', force: true }), false],
    ['a drain with fewer options', [drain({ force: true })], drain({ id: 'two' }), true],
    [
      'a drain without the deadline of the first',
      [drain({ deadlineAt: T + 1 })],
      drain({ id: 'two' }),
      false,
    ],
    ['a drain that was taken back', [drain(), UNCORDON], drain({ id: 'two' }), false],
    ['out of service', [OFF], OFF, true],
  ] as const)('%s', (_, before, action, wanted) => {
    expect(isDone(acted(node(), ...before), action)).toBe(wanted);
  });
});

describe('an action that is not offered', () => {
  const down = node({ conditions: [ready('Unknown', T)] });
  const UNREACHABLE = 'node.kubernetes.io/unreachable';
  const refusals = (one: Node, action: NodeAction, heardAt?: number) =>
    refusalsOf(one, action, { heardAt, graceMs: GRACE }, T).join(' ');

  it.each([
    ['what is done (J-332)', acted(node(), CORDON), CORDON, /cordoned already/],
    [
      'a Node that is being deleted (J-332)',
      { ...node(), metadata: { ...node().metadata, deletionTimestamp: 'x' } },
      CORDON,
      /being deleted/,
    ],
    [
      'a taint of a condition that does not hold (J-332)',
      node(),
      put(`${UNREACHABLE}:NoSchedule`),
      /take it away/,
    ],
    [
      'a taint of silence on a ready node (J-332)',
      node(),
      put(`${UNREACHABLE}:NoExecute`),
      /take it away: Ready is True/,
    ],
    [
      'the taint of a cordon (J-332)',
      acted(node(), CORDON),
      take('node.kubernetes.io/unschedulable:NoSchedule'),
      /set .* again/,
    ],
    [
      'the taint of a silence (J-332)',
      acted(down, put(`${UNREACHABLE}:NoExecute`)),
      take(`${UNREACHABLE}:NoExecute`),
      /again: Ready is Unknown/,
    ],
    ['out-of-service as a taint (J-332)', down, put(OUT), /Out of service/],
    ['a ready node out of service (J-333)', node(), OFF, /^It is ready\. A machine that answers is not off/],
  ] as const)('%s', (_, one, action, wanted) => {
    expect(refusals(one, action)).toMatch(wanted);
  });

  it.each([
    ['a node that was heard just now (J-333)', T - 12_000, /^It was heard 12s ago/],
    ['a node that was silent for its grace period', T - GRACE - 1, /^$/],
    ['a node that nobody has heard', undefined, /^$/],
  ])('out of service for %s', (_, heardAt, wanted) => {
    expect(refusals(down, OFF, heardAt)).toMatch(wanted);
  });

  it.each([
    ['a taint of silence on a silent node', down, put(`${UNREACHABLE}:NoExecute`)],
    [
      'a taint of silence that no longer fits',
      acted(node({ taints: [taint(`${UNREACHABLE}:NoExecute`)] })),
      take(`${UNREACHABLE}:NoExecute`),
    ],
    ['the removal of out-of-service', acted(down, OFF), take('node.kubernetes.io/out-of-service:NoExecute')],
    ['an uncordon', acted(node(), CORDON), UNCORDON],
  ])('is not %s', (_, one, action) => {
    expect(refusals(one, action)).toBe('');
  });
});
