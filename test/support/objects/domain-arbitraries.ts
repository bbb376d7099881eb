import fc from 'fast-check';
import type { Node, Taint, Toleration } from '../../../shared/kube/types/core.ts';
import type { Condition } from '../../../shared/kube/types/meta.ts';
import {
  TAINT_DISK_PRESSURE,
  TAINT_NOT_READY,
  TAINT_UNREACHABLE,
  TAINT_UNSCHEDULABLE,
} from '../../../shared/kube/types/well-known.ts';
import { aNode } from './domain-objects.ts';

const KEYS = [TAINT_NOT_READY, TAINT_UNREACHABLE, TAINT_DISK_PRESSURE, TAINT_UNSCHEDULABLE, 'foo', 'bar'];
const TYPES = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable', 'Own'];

export const statuses = fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const);

const aTaint: fc.Arbitrary<Taint> = fc.record(
  {
    key: fc.constantFrom(...KEYS),
    effect: fc.constantFrom('NoSchedule' as const, 'PreferNoSchedule' as const, 'NoExecute' as const),
    value: fc.constantFrom('', 'x', 'y'),
    timeAdded: fc.constant('2020-01-01T00:00:00Z'),
  },
  { requiredKeys: ['key', 'effect'] },
);

/** Taints as validation admits them: key and effect are unique. */
export const taintLists: fc.Arbitrary<readonly Taint[]> = fc.uniqueArray(aTaint, {
  selector: ({ key, effect }) => `${key}:${effect}`,
  maxLength: 6,
});

const conditions: fc.Arbitrary<readonly Condition[]> = fc.array(
  fc.record({ type: fc.constantFrom(...TYPES), status: statuses }),
  { maxLength: 5 },
);

export const nodes: fc.Arbitrary<Node> = fc
  .record({ conditions, taints: taintLists, unschedulable: fc.boolean() })
  .map(aNode);

export const tolerationLists: fc.Arbitrary<readonly Toleration[]> = fc.array(
  fc.record(
    {
      key: fc.constantFrom(...KEYS),
      operator: fc.constantFrom('Exists', 'Equal'),
      value: fc.constantFrom('', 'x'),
      effect: fc.constantFrom('', 'NoExecute', 'NoSchedule'),
      tolerationSeconds: fc.integer({ min: -2, max: 400 }),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 5 },
);
