/** What the status of a NodeLifecyclePolicy says, and when it is written. */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import type {
  LifecyclePolicy,
  LifecyclePolicyCondition,
  LifecyclePolicyStatus,
} from '../../kube/types/lifecycle-policy.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, parseTime, toTime } from '../../kube/values/time.ts';

/** Names that a status shows: it has to stay small, however many nodes there are. */
const MOST_NAMES = 10;
/** The counts of a status are written this often at most (ms), because a fleet may change all the time. */
const COUNTS_EVERY_MS = 30_000;

/** The first names, in order. */
export const firstNames = (names: readonly string[]): readonly string[] => {
  const first: string[] = [];
  for (const name of names) {
    if (first.length === MOST_NAMES && name >= (first.at(-1) ?? '')) continue;
    const place = first.findIndex((other) => name < other);
    first.splice(place < 0 ? first.length : place, 0, name);
    if (first.length > MOST_NAMES) first.pop();
  }
  return first;
};

/** The nodes that a policy holds for: their number, and the first names in order. */
export interface PolicyNodes {
  readonly nodes: number;
  readonly nodeNames: readonly string[];
  readonly zoneNames: readonly string[];
}

const condition = (
  type: LifecyclePolicyCondition['type'],
  isTrue: boolean,
  { reason, message }: Pick<LifecyclePolicyCondition, 'reason' | 'message'>,
  policy: LifecyclePolicy,
  now: EpochMs,
): LifecyclePolicyCondition => {
  const status = isTrue ? 'True' : 'False';
  const before = policy.status?.conditions?.find((one) => one.type === type);
  const { generation } = policy.metadata;
  return {
    type,
    status,
    ...optional('observedGeneration', generation),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : toTime(now),
    reason,
    message,
  };
};

const ACCEPTED = { reason: 'Accepted', message: 'The policy holds for the nodes that it selects.' };

const conditionsOf = (
  policy: LifecyclePolicy,
  conflict: string | undefined,
  now: EpochMs,
): readonly LifecyclePolicyCondition[] => {
  const isFree = conflict === undefined;
  const told = isFree
    ? ACCEPTED
    : {
        reason: 'SameNodes',
        message: `The policy has no effect: it can select the same nodes as the older policy ${conflict}, which is as specific and has the same priority.`,
      };
  const freedom = isFree ? { reason: 'NoConflict', message: '' } : told;
  return [
    condition('Accepted', isFree, told, policy, now),
    condition('Conflicted', !isFree, freedom, policy, now),
  ];
};

/** The status of the policy at `now` (ms). `conflict`: the name of the older policy that ties with it. */
export const policyStatus = (
  policy: LifecyclePolicy,
  { nodes, nodeNames, zoneNames }: PolicyNodes,
  conflict: string | undefined,
  now: EpochMs,
): LifecyclePolicyStatus => ({
  ...optional('observedGeneration', policy.metadata.generation),
  nodes,
  ...(nodeNames.length === 0 ? {} : { nodeNames }),
  ...(zoneNames.length === 0 ? {} : { zoneNames }),
  updateTime: toTime(now),
  conditions: conditionsOf(policy, conflict, now),
});

const untimed = ({ updateTime: _updateTime, ...status }: LifecyclePolicyStatus) => status;

/** Whether `next` is worth a write: at once if a condition changed, and otherwise only from time to time. */
export const needsStatus = (
  before: LifecyclePolicyStatus | undefined,
  next: LifecyclePolicyStatus,
  now: EpochMs,
): boolean => {
  if (!before || !deepEqual(before.conditions, next.conditions)) return true;
  if (deepEqual(untimed(before), untimed(next))) return false;
  const updatedAt = before.updateTime === undefined ? undefined : parseTime(before.updateTime);
  return updatedAt === undefined || Math.abs(now - updatedAt) >= COUNTS_EVERY_MS;
};
