import { describe, expect, test } from 'vitest';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import {
  TAINT_NOT_READY as NOT_READY,
  TAINT_UNREACHABLE as UNREACHABLE,
} from '../../../../shared/kube/types/well-known.ts';
import { unheld } from '../../../../shared/rules/destroyed.ts';
import {
  applyNoExecute,
  decideNoExecute,
  decideNoExecuteFor,
  stripNoExecute,
  swapNoExecute,
} from '../../../../shared/rules/nodes/no-execute.ts';
import { taintsOf } from '../../../../shared/rules/nodes/taints.ts';
import { aNode, at, ready, taint } from '../../../support/objects/domain-objects.ts';

const NOW = at('2026-01-02T03:04:05Z');

describe('decideNoExecute', () => {
  const source = 'kubernetes v1.34 `processTaintBaseEviction`';
  test.each<{
    name: string;
    source: string;
    status: ConditionStatus | undefined;
    has: readonly string[];
    decision: ReturnType<typeof decideNoExecute>;
  }>([
    {
      name: 'queues a False node (R-01)',
      source,
      status: 'False',
      has: [],
      decision: { action: 'queue', add: NOT_READY },
    },
    {
      name: 'queues an Unknown node (R-02, R-04)',
      source,
      status: 'Unknown',
      has: [],
      decision: { action: 'queue', add: UNREACHABLE },
    },
    {
      name: 'swaps unreachable of a False node (R-01)',
      source,
      status: 'False',
      has: [UNREACHABLE],
      decision: { action: 'swap', add: NOT_READY, remove: UNREACHABLE },
    },
    {
      name: 'swaps not-ready of an Unknown node (R-02, R-03)',
      source,
      status: 'Unknown',
      has: [NOT_READY],
      decision: { action: 'swap', add: UNREACHABLE, remove: NOT_READY },
    },
    {
      name: 'swaps even if the node has both',
      source,
      status: 'False',
      has: [NOT_READY, UNREACHABLE],
      decision: { action: 'swap', add: NOT_READY, remove: UNREACHABLE },
    },
    {
      name: 'does not queue a tainted node again',
      source,
      status: 'False',
      has: [NOT_READY],
      decision: { action: 'none' },
    },
    {
      name: 'removes not-ready from a ready node (R-05)',
      source,
      status: 'True',
      has: [NOT_READY],
      decision: { action: 'remove' },
    },
    {
      name: 'removes unreachable from a ready node (R-05)',
      source,
      status: 'True',
      has: ['foo', UNREACHABLE],
      decision: { action: 'remove' },
    },
    {
      name: 'does not change a ready node with other taints',
      source,
      status: 'True',
      has: ['foo'],
      decision: { action: 'none' },
    },
    {
      name: 'does nothing without a Ready condition (R-06)',
      source,
      status: undefined,
      has: [UNREACHABLE],
      decision: { action: 'none' },
    },
  ])('$name', ({ status, has, decision }) => {
    const node = aNode({
      conditions: status === undefined ? [] : [ready(status)],
      taints: has.map((key) => taint(`${key}:NoExecute`)),
    });
    expect(decideNoExecute(node)).toEqual(decision);
    expect(
      decideNoExecuteFor(
        status,
        has.map((key) => ({ key })),
      ),
    ).toEqual(decision);
  });

  test('queues a node again after its taint was removed by hand', () => {
    const { next: node } = unheld(
      applyNoExecute(aNode({ conditions: [ready('Unknown')] }), UNREACHABLE, NOW),
    );
    expect(decideNoExecute(node)).toEqual({ action: 'none' });
    expect(decideNoExecute(stripNoExecute(node))).toEqual({ action: 'queue', add: UNREACHABLE });
  });

  test('does not mistake a NoSchedule taint with the same key for the NoExecute one', () => {
    const node = aNode({ conditions: [ready('False')], taints: [taint(`${NOT_READY}:NoSchedule`)] });
    expect(decideNoExecute(node)).toEqual({ action: 'queue', add: NOT_READY });
  });
});

describe('applyNoExecute and stripNoExecute', () => {
  const kept = [taint('foo:NoExecute'), taint(`${UNREACHABLE}:NoSchedule`)];

  test('add one taint, remove its opposite, and keep the others', () => {
    const node = aNode({ taints: [...kept, taint(`${UNREACHABLE}:NoExecute`)] });
    expect(taintsOf(swapNoExecute(node, NOT_READY, NOW))).toEqual([
      ...kept,
      { ...taint(`${NOT_READY}:NoExecute`), timeAdded: '2026-01-02T03:04:05Z' },
    ]);
  });

  test('return the same node if nothing changes', () => {
    const tainted = aNode({ taints: [taint(`${NOT_READY}:NoExecute`)] });
    const free = aNode({ taints: kept });
    expect(swapNoExecute(tainted, NOT_READY, NOW)).toBe(tainted);
    expect(stripNoExecute(free)).toBe(free);
  });

  test('remove both', () => {
    const node = aNode({
      taints: [...kept, taint(`${UNREACHABLE}:NoExecute`), taint(`${NOT_READY}:NoExecute`)],
    });
    expect(taintsOf(stripNoExecute(node))).toEqual(kept);
  });
});
