import type { Pod } from '../../api/core.ts';
import type { Condition } from '../../api/meta.ts';
import type { EpochMs } from '../../api/time.ts';
import { toTime } from '../../api/time.ts';
import { READY } from '../../api/well-known.ts';

const conditionOf = ({ status }: Pod, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** Whether the pod's Ready condition is True. Source: kubernetes v1.34 `podutil.IsPodReady`. */
export const isPodReady = (pod: Pod): boolean => conditionOf(pod, READY)?.status === 'True';

type Wanted = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

const isSet = (there: Condition | undefined, { status, reason, message }: Wanted): boolean =>
  there?.status === status && there.reason === reason && there.message === message;

/**
 * The pod with this condition: changed in place or appended, its time moved only when its status changes; the same pod
 * when it is there already. Source: kubernetes v1.34 `podutil.UpdatePodCondition`.
 */
export const withPodCondition = (pod: Pod, wanted: Wanted, now: EpochMs): Pod => {
  const there = conditionOf(pod, wanted.type);
  if (isSet(there, wanted)) return pod;
  const { type, status, ...why } = wanted;
  const since = there?.status === status && there.lastTransitionTime ? there.lastTransitionTime : toTime(now);
  const next = { type, status, lastProbeTime: null, lastTransitionTime: since, ...why };
  const before = pod.status?.conditions ?? [];
  const conditions = there ? before.map((one) => (one === there ? next : one)) : [...before, next];
  return { ...pod, status: { ...pod.status, conditions } };
};
