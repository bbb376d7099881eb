/** When a write of a Node's status counts as a heartbeat, and when it is only a heartbeat. */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { READY } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { parseTime } from '../../kube/values/time.ts';

/** Strings of `lastHeartbeatTime` by condition type. */
export type HeartbeatTimes = Readonly<Record<string, string>>;

const conditionsOf = (node: Node): readonly Condition[] => node.status?.conditions ?? [];

const readyHeartbeat = (node: Node): string | undefined =>
  conditionsOf(node).find(({ type }) => type === READY)?.lastHeartbeatTime;

const timesOf = (node: Node): HeartbeatTimes =>
  Object.fromEntries(
    conditionsOf(node).flatMap(({ type, lastHeartbeatTime }) =>
      lastHeartbeatTime ? [[type, lastHeartbeatTime]] : [],
    ),
  );

/**
 * The beat of a status write, if Ready's heartbeat time changed. `at` is our receive time; the sender's time is only compared
 * for a change.
 */
export const statusBeat = (
  before: Node,
  after: Node,
  at: EpochMs,
): { readonly at: EpochMs; readonly times: HeartbeatTimes } | undefined => {
  const written = readyHeartbeat(after);
  return written === undefined || written === readyHeartbeat(before)
    ? undefined
    : { at, times: timesOf(after) };
};

const withConditions = (node: Node, conditions: readonly Condition[]): Node => ({
  ...node,
  status: { ...node.status, conditions },
});

const withoutTimes = (node: Node): Node =>
  withConditions(
    node,
    conditionsOf(node).map(({ lastHeartbeatTime: _time, ...rest }) => rest),
  );

/** Whether the two differ at most in heartbeat times of conditions; such a write gets no new revision. */
export const isOnlyHeartbeat = (before: Node, after: Node): boolean =>
  deepEqual(withoutTimes(before), withoutTimes(after));

const laterOf = (condition: Condition, times: HeartbeatTimes): Condition => {
  const stored = ownMember(times, condition.type);
  if (stored === undefined) return condition;
  const isNewer = (parseTime(stored) ?? 0) > (parseTime(condition.lastHeartbeatTime ?? '') ?? 0);
  return isNewer ? { ...condition, lastHeartbeatTime: stored } : condition;
};

/** The Node with the heartbeat times of beats that came after its last mutation. */
export const withHeartbeatTimes = (node: Node, times: HeartbeatTimes | undefined): Node =>
  times && node.status?.conditions
    ? withConditions(
        node,
        node.status.conditions.map((condition) => laterOf(condition, times)),
      )
    : node;
