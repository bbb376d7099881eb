import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../../shared/kube/types/meta.ts';
import { reconcileConditionTaints } from '../../../../shared/rules/nodes/condition-taints.ts';
import { taintsOf } from '../../../../shared/rules/nodes/taints.ts';
import { aCondition, aNode, at, ready, taint, taintText } from '../../../support/objects/domain-objects.ts';

const NOW = at('2026-01-02T03:04:05Z');
const K = 'node.kubernetes.io';

interface Row {
  readonly name: string;
  readonly source: string;
  readonly conditions?: readonly Condition[];
  readonly unschedulable?: boolean;
  readonly before?: readonly string[];
  readonly after: readonly string[];
}

const byCondition = 'kubernetes v1.34 `TestTaintsNodeByCondition`';
const rule = 'kubernetes v1.34 `doNoScheduleTaintingPass`';

const rows: readonly Row[] = [
  {
    name: 'taints a node without network (R-11)',
    source: byCondition,
    conditions: [ready('True'), aCondition('NetworkUnavailable', 'True')],
    after: [`${K}/network-unavailable:NoSchedule`],
  },
  {
    name: 'does not change a node without network the second time',
    source: byCondition,
    conditions: [ready('True'), aCondition('NetworkUnavailable', 'True')],
    before: [`${K}/network-unavailable:NoSchedule`],
    after: [`${K}/network-unavailable:NoSchedule`],
  },
  {
    name: 'taints a node that is not ready (R-01)',
    source: byCondition,
    conditions: [ready('False')],
    after: [`${K}/not-ready:NoSchedule`],
  },
  {
    name: 'taints a node that is Unknown (R-02)',
    source: byCondition,
    conditions: [ready('Unknown')],
    after: [`${K}/unreachable:NoSchedule`],
  },
  {
    name: 'taints for each pressure, in the order of the conditions, then for a cordon (R-11)',
    source: rule,
    conditions: [
      aCondition('MemoryPressure', 'True'),
      aCondition('DiskPressure', 'True'),
      aCondition('PIDPressure', 'True'),
      ready('True'),
    ],
    unschedulable: true,
    after: [
      `${K}/memory-pressure:NoSchedule`,
      `${K}/disk-pressure:NoSchedule`,
      `${K}/pid-pressure:NoSchedule`,
      `${K}/unschedulable:NoSchedule`,
    ],
  },
  {
    name: 'does not taint for a network or a pressure that is Unknown',
    source: rule,
    conditions: [
      ready('True'),
      aCondition('NetworkUnavailable', 'Unknown'),
      aCondition('PIDPressure', 'Unknown'),
    ],
    after: [],
  },
  {
    name: 'replaces not-ready when the node falls silent (R-03)',
    source: rule,
    conditions: [ready('Unknown')],
    before: [`${K}/not-ready:NoSchedule`],
    after: [`${K}/unreachable:NoSchedule`],
  },
  {
    name: 'removes the taints of a node that is ready (R-05)',
    source: rule,
    conditions: [ready('True')],
    before: [`${K}/not-ready:NoSchedule`],
    after: [],
  },
  {
    name: 'removes a taint that a user added without its condition',
    source: rule,
    conditions: [ready('True')],
    before: [`${K}/memory-pressure:NoSchedule`],
    after: [],
  },
  {
    name: 'removes the taint of a cordon that has ended',
    source: rule,
    conditions: [ready('True')],
    before: [`${K}/unschedulable:NoSchedule`],
    after: [],
  },
  {
    name: 'does not change other taints and other effects of its own keys',
    source: rule,
    conditions: [ready('True')],
    before: ['gpu=yes:NoSchedule', `${K}/not-ready:NoExecute`, `${K}/out-of-service=x:NoSchedule`],
    after: ['gpu=yes:NoSchedule', `${K}/not-ready:NoExecute`, `${K}/out-of-service=x:NoSchedule`],
  },
  {
    name: 'keeps the taint of admission until a condition is written (R-06, R-10)',
    source: 'Rollcall; kubernetes v1.34 takes it off at once',
    before: [`${K}/not-ready:NoSchedule`],
    after: [`${K}/not-ready:NoSchedule`],
  },
  {
    name: 'removes other condition taints of a node without conditions, and cordons it (R-10)',
    source: rule,
    conditions: [],
    unschedulable: true,
    before: [`${K}/disk-pressure:NoSchedule`],
    after: [`${K}/unschedulable:NoSchedule`],
  },
  {
    name: 'keeps new pods off a node that shuts down (J-134)',
    source: 'own',
    conditions: [ready('False'), aCondition('GracefulNodeShutdownInProgress', 'True')],
    after: [`${K}/not-ready:NoSchedule`, 'rollcall.dev/shutting-down:NoSchedule'],
  },
  {
    name: 'takes pods again when it does not (J-134)',
    source: 'own',
    conditions: [ready('True')],
    before: ['rollcall.dev/shutting-down:NoSchedule'],
    after: [],
  },
];

describe('reconcileConditionTaints', () => {
  test.each(rows)('$name', ({ conditions, unschedulable, before, after }) => {
    const node = aNode({
      ...(conditions === undefined ? {} : { conditions }),
      ...(unschedulable === undefined ? {} : { unschedulable }),
      ...(before === undefined ? {} : { taints: before.map(taint) }),
    });
    const settled = reconcileConditionTaints(node, NOW);
    expect(taintsOf(settled).map(taintText)).toEqual(after);
    if (before?.join() === after.join()) expect(settled).toBe(node);
  });

  test('sets timeAdded of the taints that it adds', () => {
    const settled = reconcileConditionTaints(aNode({ conditions: [ready('False')] }), NOW);
    expect(taintsOf(settled)[0]?.timeAdded).toBe('2026-01-02T03:04:05Z');
  });
});
