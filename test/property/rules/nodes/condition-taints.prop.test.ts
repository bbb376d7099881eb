import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Taint } from '../../../../shared/kube/types/core.ts';
import { reconcileConditionTaints } from '../../../../shared/rules/nodes/condition-taints.ts';
import { taintsOf } from '../../../../shared/rules/nodes/taints.ts';
import { nodes } from '../../../support/objects/domain-arbitraries.ts';

const OWNED = /^node\.kubernetes\.io\/(not-ready|unreachable|unschedulable|.*-pressure|network-unavailable)$/;
const isForeign = ({ key, effect }: Taint): boolean => effect !== 'NoSchedule' || !OWNED.test(key);

test('reconciling condition taints is idempotent (I-06)', () => {
  fc.assert(
    fc.property(nodes, (node) => {
      const settled = reconcileConditionTaints(node, 1_000);
      expect(reconcileConditionTaints(settled, 2_000)).toBe(settled);
    }),
  );
});

test('reconciling condition taints keeps all other taints, and the order of those that stay (I-06)', () => {
  fc.assert(
    fc.property(nodes, (node) => {
      const before = taintsOf(node);
      const after = taintsOf(reconcileConditionTaints(node, 1_000));
      expect(after.filter(isForeign)).toEqual(before.filter(isForeign));
      const kept = before.filter((taint) => after.includes(taint));
      expect(after.slice(0, kept.length)).toEqual(kept);
    }),
  );
});

test('a node with a condition has exactly the taints of its conditions (I-07)', () => {
  fc.assert(
    fc.property(nodes, (node) => {
      const conditions = node.status?.conditions ?? [];
      fc.pre(conditions.length > 0);
      const has = (type: string, status: string): boolean =>
        conditions.some((condition) => condition.type === type && condition.status === status);
      const owned = taintsOf(reconcileConditionTaints(node, 1_000)).filter((taint) => !isForeign(taint));
      const names = new Set(owned.map(({ key }) => key.split('/')[1]));
      expect({ count: owned.length, names }).toEqual({
        count: names.size,
        names: new Set([
          ...(has('Ready', 'False') ? ['not-ready'] : []),
          ...(has('Ready', 'Unknown') ? ['unreachable'] : []),
          ...(has('MemoryPressure', 'True') ? ['memory-pressure'] : []),
          ...(has('DiskPressure', 'True') ? ['disk-pressure'] : []),
          ...(has('PIDPressure', 'True') ? ['pid-pressure'] : []),
          ...(has('NetworkUnavailable', 'True') ? ['network-unavailable'] : []),
          ...(node.spec?.unschedulable === true ? ['unschedulable'] : []),
        ]),
      });
    }),
  );
});
