import type { Pod } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { READY } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';

const conditionOf = ({ status }: Pod, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** Whether the pod's Ready condition is True. Source: kubernetes v1.34 `podutil.IsPodReady`. */
export const isPodReady = (pod: Pod): boolean => conditionOf(pod, READY)?.status === 'True';

type Wanted = Pick<Condition, 'type' | 'status' | 'reason' | 'message' | 'observedGeneration'>;

const isUpToDate = (there: Condition | undefined, wanted: Wanted): boolean =>
  there?.status === wanted.status &&
  there.reason === wanted.reason &&
  there.message === wanted.message &&
  (wanted.observedGeneration === undefined || there.observedGeneration === wanted.observedGeneration);

/**
 * Returns the pod with this condition, at the position of the one of its type, else at the end. Its transition time changes only
 * with its status. Returns the same object if the condition already has this status, reason and message. Source: kubernetes v1.34 `podutil.UpdatePodCondition`.
 */
export const withPodCondition = (pod: Pod, wanted: Wanted, now: EpochMs): Pod => {
  const there = conditionOf(pod, wanted.type);
  if (isUpToDate(there, wanted)) return pod;
  const { type, status, ...why } = wanted;
  const since = there?.status === status && there.lastTransitionTime ? there.lastTransitionTime : toTime(now);
  const next = { type, status, lastProbeTime: null, lastTransitionTime: since, ...why };
  const before = pod.status?.conditions ?? [];
  const conditions = there ? before.map((one) => (one === there ? next : one)) : [...before, next];
  return { ...pod, status: { ...pod.status, conditions } };
};
