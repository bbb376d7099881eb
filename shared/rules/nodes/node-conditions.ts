import type { Node, Pod } from '../../kube/types/core.ts';
import type { Condition, ConditionStatus } from '../../kube/types/meta.ts';
import { DISK_PRESSURE, MEMORY_PRESSURE, PID_PRESSURE, READY } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';

/** Reason of a Ready condition that the control plane writes, for nodes that only send plain heartbeats. */
export const HEARTBEAT_RECEIVED = 'HeartbeatReceived';

const NEVER_UPDATED = { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' };
const STOPPED = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
const ARRIVING = { reason: HEARTBEAT_RECEIVED, message: 'The node answers the roll call.' };

/** The conditions that become Unknown after silence, in this order. NetworkUnavailable and custom conditions do not. */
const EXPIRING = [READY, MEMORY_PRESSURE, DISK_PRESSURE, PID_PRESSURE] as const;

type Conditions = readonly Condition[];

/** Of several conditions of one type the first one counts, as in kubernetes `GetNodeCondition`. */
const find = (conditions: Conditions | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

const put = (conditions: Conditions, condition: Condition): Conditions => {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  return index < 0 ? [...conditions, condition] : conditions.with(index, condition);
};

const withConditions = (node: Node, conditions: Conditions): Node => ({
  ...node,
  status: { ...node.status, conditions },
});

/** The node's Ready condition; `undefined` until it is first written. */
export const readyOf = (node: Node): Condition | undefined => find(node.status?.conditions, READY);

/** The status of the node's Ready condition; `undefined` until it is first written. */
export const readyStatusOf = (node: Node): ConditionStatus | undefined => readyOf(node)?.status;

/** Whether Ready is based on a report of the node, and not only on the fact that the node never reported. */
export const wasReported = (node: Node): boolean => {
  const ready = readyOf(node);
  return ready !== undefined && ready.reason !== NEVER_UPDATED.reason;
};

const expired = (condition: Condition, now: EpochMs): Condition =>
  condition.status === 'Unknown'
    ? condition
    : { ...condition, status: 'Unknown', lastTransitionTime: toTime(now), ...STOPPED };

const neverPosted = (type: string, node: Node, now: EpochMs): Condition => {
  const createdTime = node.metadata.creationTimestamp;
  return {
    type,
    status: 'Unknown',
    ...optional('lastHeartbeatTime', createdTime),
    lastTransitionTime: toTime(now),
    ...NEVER_UPDATED,
  };
};

/**
 * The node after its grace period ended at `now` (ms): Ready and the three pressures are Unknown. If Ready is Unknown already,
 * the same object comes back. A node whose Ready only the control plane writes gets no conditions that it never had.
 * Source: kubernetes v1.34 nodelifecycle `tryUpdateNodeHealth`.
 */
export const markUnknown = (node: Node, now: EpochMs): Node => {
  const ready = readyOf(node);
  if (ready?.status === 'Unknown') return node;
  const isKeptByUs = ready?.reason === HEARTBEAT_RECEIVED;
  const conditions = EXPIRING.reduce<Conditions>((list, type) => {
    const condition = find(list, type);
    if (condition !== undefined) return put(list, expired(condition, now));
    return isKeptByUs ? list : put(list, neverPosted(type, node, now));
  }, node.status?.conditions ?? []);
  return withConditions(node, conditions);
};

/**
 * The node with Ready=True because of a plain heartbeat at `now` (ms). No other condition is written; the same object comes
 * back when Ready is True already.
 */
export const markReadyByHeartbeat = (node: Node, now: EpochMs): Node => {
  if (readyStatusOf(node) === 'True') return node;
  const time = toTime(now);
  const ready: Condition = {
    ...readyOf(node),
    type: READY,
    status: 'True',
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    ...ARRIVING,
  };
  return withConditions(node, put(node.status?.conditions ?? [], ready));
};

/**
 * The pod with Ready=False at `now` (ms), its reason and message kept; the same object when it has no Ready condition
 * or that is False already. Source: kubernetes v1.34 controller/util/node `MarkPodsNotReady`.
 */
export const markPodNotReady = (pod: Pod, now: EpochMs): Pod => {
  const conditions = pod.status?.conditions ?? [];
  const ready = find(conditions, READY);
  if (ready === undefined || ready.status === 'False') return pod;
  const notReady: Condition = { ...ready, status: 'False', lastTransitionTime: toTime(now) };
  return { ...pod, status: { ...pod.status, conditions: put(conditions, notReady) } };
};
