/** Who writes which condition of a pod. Source: kubernetes v1.34 pkg/kubelet/types `pod_status.go`. */
import { DISRUPTION_TARGET, READY } from '../../../shared/kube/types/well-known.ts';
import { TOPOLOGY_CONDITION } from '../../../shared/rules/pods/topology-note.ts';
import type { PodCondition } from '../containers/agent-pod.ts';
import { CONTAINERS_READY, INITIALIZED, POD_SCHEDULED, READY_TO_START } from './conditions.ts';

const OWNED: ReadonlySet<string> = new Set([
  POD_SCHEDULED,
  READY,
  INITIALIZED,
  CONTAINERS_READY,
  READY_TO_START,
  'PodResizePending',
  'PodResizeInProgress',
  TOPOLOGY_CONDITION,
]);

/** Whether only the agent of the node writes the condition. */
export const isOwnedCondition = (type: string): boolean => OWNED.has(type);

/** Whether the agent writes it too. */
export const isWrittenCondition = (type: string): boolean =>
  isOwnedCondition(type) || type === DISRUPTION_TARGET;

/** The list with the condition in the place of that of its type, else at the end. */
export const withCondition = (
  conditions: readonly PodCondition[],
  condition: PodCondition,
): readonly PodCondition[] => {
  const place = conditions.findIndex(({ type }) => type === condition.type);
  return place < 0 ? [...conditions, condition] : conditions.with(place, condition);
};

/** The condition with the time since when its status holds: that of the old one of the same status, else `now` (RFC 3339). */
export const since = (
  condition: PodCondition,
  before: readonly PodCondition[] | undefined,
  now: string,
): PodCondition => {
  const old = before?.find(({ type }) => type === condition.type);
  if (old?.status !== condition.status) return { ...condition, lastTransitionTime: now };
  const { lastTransitionTime: _own, ...rest } = condition;
  return old.lastTransitionTime === undefined
    ? rest
    : { ...rest, lastTransitionTime: old.lastTransitionTime };
};
