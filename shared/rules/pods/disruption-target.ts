/** How a controller deletes a pod that it disrupts. */
import type { Pod } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { DISRUPTION_TARGET } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import type { Destroyed } from '../destroyed.ts';
import { isReadyToGo, podGraceSeconds, withDeletion } from './deletion.ts';

/** Why a pod is disrupted: reason and message of its condition. */
export interface Disruption {
  readonly reason: string;
  readonly message: string;
}

/** Of an eviction: by request of a client, and by a drain. Source: kubernetes v1.34 registry/core/pod/storage `eviction.go`. */
export const EVICTED: Disruption = {
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
};

/** What becomes of a pod that is disrupted: it is marked, or deleted at once with this as its last state. */
export type DisruptedPod = Destroyed<
  { readonly next: Pod } | { readonly next: 'delete'; readonly lastState: Pod }
>;

/** The pod in the state in which it is deleted: at once, if nothing holds it. */
export const deletedPod = (next: Pod): DisruptedPod => ({
  destroyed: isReadyToGo(next) ? { next: 'delete', lastState: next } : { next },
});

/** The pod with the condition DisruptionTarget, since `now` (ms). */
export const withDisruptionTarget = (pod: Pod, why: Disruption, now: EpochMs): Pod => {
  const { generation } = pod.metadata;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== DISRUPTION_TARGET);
  const target: Condition = {
    type: DISRUPTION_TARGET,
    status: 'True',
    lastTransitionTime: toTime(now),
    ...optional('observedGeneration', generation),
    ...why,
  };
  return { ...pod, status: { ...pod.status, conditions: [...others, target] } };
};

/**
 * Disrupts a pod at `now` (ms), with the grace period (seconds) that is given, or the pod's own. It gets the condition DisruptionTarget and its deletion timestamp, and its node has the pod's grace
 * period to confirm the deletion. A pod that needs no confirmation is deleted at once.
 * Source: kubernetes v1.34 tainteviction `addConditionAndDeletePod`, scheduler `preemption.PreemptPod`, which need two writes.
 */
export const disruptedPod = (
  pod: Pod,
  why: Disruption,
  now: EpochMs,
  graceSeconds?: number,
): DisruptedPod => {
  const marked = withDisruptionTarget(pod, why, now);
  return deletedPod(withDeletion(marked, podGraceSeconds(pod, graceSeconds), now));
};
