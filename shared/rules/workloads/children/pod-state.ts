/** What controllers of workloads look at in a pod. Source: kubernetes v1.34 `controller_utils.go`, `podutil`. */
import type { Pod } from '../../../kube/types/core.ts';
import { READY } from '../../../kube/types/well-known.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { parseTime } from '../../../kube/values/time.ts';
import { isEndingWithNode } from '../../pods/end-mark.ts';
import { isPodReady } from '../../pods/pod-conditions.ts';

/** Whether the pod has not ended, but is being deleted, or ended by the shutdown of its node (J-137). */
export const isLeaving = (pod: Pod): boolean =>
  pod.status?.phase !== 'Succeeded' &&
  pod.status?.phase !== 'Failed' &&
  (pod.metadata.deletionTimestamp !== undefined || isEndingWithNode(pod));

/** Whether the pod has neither ended nor begun to leave (W-45). */
export const isActive = (pod: Pod): boolean =>
  pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed' && !isLeaving(pod);

/** Since when the pod is ready (ms); `undefined` if it is not, or if its condition has no time. */
export const readySince = (pod: Pod): EpochMs | undefined => {
  if (!isPodReady(pod)) return undefined;
  const ready = pod.status?.conditions?.find(({ type }) => type === READY);
  return ready?.lastTransitionTime === undefined ? undefined : parseTime(ready.lastTransitionTime);
};

/**
 * When the pod counts as available (ms): as soon as it has been ready for `minReadySeconds` (W-46). `undefined` if it is not ready,
 * or if nobody knows since when and seconds are wanted.
 */
export const availableAt = (pod: Pod, minReadySeconds: number): EpochMs | undefined => {
  if (!isPodReady(pod)) return undefined;
  if (minReadySeconds === 0) return Number.NEGATIVE_INFINITY;
  const since = readySince(pod);
  return since === undefined ? undefined : since + minReadySeconds * 1000;
};

/** Whether the pod is available at `now` (ms). */
export const isAvailable = (pod: Pod, minReadySeconds: number, now: EpochMs): boolean => {
  const at = availableAt(pod, minReadySeconds);
  return at !== undefined && at <= now;
};

/** The next instant (ms) at which one of the ready pods becomes available; `undefined` if there is none. */
export const nextAvailableAt = (
  pods: readonly Pod[],
  minReadySeconds: number,
  now: EpochMs,
): EpochMs | undefined => {
  const later = pods.flatMap((pod) => {
    const at = availableAt(pod, minReadySeconds);
    return at !== undefined && at > now ? [at] : [];
  });
  return later.length === 0 ? undefined : later.reduce((least, at) => Math.min(least, at));
};
