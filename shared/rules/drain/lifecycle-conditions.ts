/** The conditions that tell of the life of a node: its maintenance, its drain, its shutdown. Source of the types: KEP-5683. */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Node } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import {
  DRAIN_IN_PROGRESS,
  DRAINED,
  MAINTENANCE_IN_PROGRESS,
  MAINTENANCE_PLANNED,
} from '../../kube/types/well-known.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';

/** What a condition says while it is True. */
interface Told {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

const conditionsOf = ({ status }: Node): readonly Condition[] => status?.conditions ?? [];

const withConditions = (node: Node, conditions: readonly Condition[]): Node => ({
  ...node,
  status: { ...node.status, conditions },
});

/** The condition of this type, if it is True. */
export const trueCondition = (node: Node, type: string): Condition | undefined =>
  conditionsOf(node).find((one) => one.type === type && one.status === 'True');

/**
 * The node with this condition True. Its `lastTransitionTime` is `now` (ms), or stays as long as the condition is True, whatever its message says. The
 * same object if nothing changes.
 */
export const withTrueCondition = (node: Node, told: Told, now: EpochMs): Node => {
  const before = conditionsOf(node);
  const index = before.findIndex(({ type }) => type === told.type);
  const since = trueCondition(node, told.type)?.lastTransitionTime ?? toTime(now);
  const next: Condition = { ...told, status: 'True', lastTransitionTime: since };
  if (index < 0) return withConditions(node, [...before, next]);
  const after = before.with(index, next).filter(({ type }, at) => type !== told.type || at === index);
  return deepEqual(before, after) ? node : withConditions(node, after);
};

/** The node without the conditions of this type that have this reason: those of others stay. The same object if there is none. */
export const withoutCondition = (node: Node, type: string, reason: string): Node => {
  const before = conditionsOf(node);
  const after = before.filter((one) => one.type !== type || one.reason !== reason);
  return after.length === before.length ? node : withConditions(node, after);
};

/** What a node must not say of itself: by these, people and controllers decide whether it may be switched off. */
const KEPT: ReadonlySet<string> = new Set([
  MAINTENANCE_PLANNED,
  MAINTENANCE_IN_PROGRESS,
  DRAIN_IN_PROGRESS,
  DRAINED,
]);

const isKept = ({ type }: Condition): boolean => KEPT.has(type);

/** What a node has written of itself, with the stored conditions of its maintenance and drain. The same object if it has not changed them. */
export const withStoredLifecycle = (after: Node, before: Node | undefined): Node => {
  const stored = before ? conditionsOf(before).filter(isKept) : [];
  if (deepEqual(conditionsOf(after).filter(isKept), stored)) return after;
  return withConditions(after, [...conditionsOf(after).filter((one) => !isKept(one)), ...stored]);
};
