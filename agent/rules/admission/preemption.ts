/** Pods that make room for a critical one. Source: kubernetes v1.34 pkg/kubelet/preemption. */

import { podQosClass } from '../../../shared/kube/defaults/qos-class.ts';
import type { Pod, PodStatus } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { podRequests } from '../../../shared/rules/scheduling/pods/pod-requests.ts';
import { terminatedByAgent } from '../pod-status/disruption.ts';
import { isCriticalPod } from '../pods/pod-kind.ts';

/** What is still missing of a resource: cpu in thousandths of a core, everything else in bytes or pieces. */
export interface Requirement {
  readonly resource: string;
  readonly missing: number;
}

/** Why a pod is ended for another one: reason of its status and its Event, and message of both. */
export const PREEMPTING = 'Preempting';
export const PREEMPTED_MESSAGE = 'Preempted in order to admit critical pod';

/** The status of a pod that is ended for another one at `now`. */
export const preemptedStatus = (pod: Pod, status: PodStatus, now: EpochMs): PodStatus => ({
  ...terminatedByAgent(pod, status, 'Pod was preempted by Kubelet to accommodate a critical pod.', now),
  phase: 'Failed',
  reason: PREEMPTING,
  message: PREEMPTED_MESSAGE,
});

const isPreemptable = (pod: Pod, other: Pod): boolean => {
  if (isCriticalPod(pod) && !isCriticalPod(other)) return true;
  const [mine, theirs] = [pod.spec['priority'], other.spec['priority']];
  return typeof mine === 'number' && typeof theirs === 'number' && mine > theirs;
};

const requestOf = (pod: Pod, resource: string): number =>
  resource === 'pods' ? 1 : (podRequests(pod).get(resource) ?? 0);

/** What is missing after these pods have ended. */
const without = (requirements: readonly Requirement[], pods: readonly Pod[]): readonly Requirement[] =>
  requirements
    .map(({ resource, missing }) => ({
      resource,
      missing: pods.reduce((left, pod) => left - requestOf(pod, resource), missing),
    }))
    .filter(({ missing }) => missing > 0);

/** How much of each requirement the pod would leave, as a share of it, squared: 0 if the pod alone suffices. */
const distance = (requirements: readonly Requirement[], pod: Pod): number =>
  requirements.reduce((sum, { resource, missing }) => {
    const left = Math.max(0, missing - requestOf(pod, resource));
    return sum + (left / missing) ** 2;
  }, 0);

/** Whether the pod asks for less memory, or for less cpu if both ask for the same; also if they ask for the same of both. */
const isNotLarger = (pod: Pod, other: Pod): boolean => {
  const difference = (resource: string): number => requestOf(pod, resource) - requestOf(other, resource);
  return (difference('memory') || difference('cpu')) <= 0;
};

/** The pod that meets the most of the requirements; of equal ones the smaller, of equally small ones the last. */
const nearest = (requirements: readonly Requirement[], pods: readonly Pod[]): number => {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, pod] of pods.entries()) {
    const own = distance(requirements, pod);
    const chosen = pods[best];
    if (own < least || (own === least && chosen && isNotLarger(pod, chosen))) [best, least] = [index, own];
  }
  return best;
};

/** Takes the nearest pod until nothing is missing. The last one of the list takes the place of each that is taken. */
const nearestPods = (candidates: readonly Pod[], requirements: readonly Requirement[]): readonly Pod[] => {
  const left = [...candidates];
  const chosen: Pod[] = [];
  for (let open = requirements; open.length > 0 && left.length > 0; open = without(open, chosen.slice(-1))) {
    const index = nearest(open, left);
    const last = left.pop();
    if (!last) break;
    chosen.push(index === left.length ? last : (left.splice(index, 1, last)[0] ?? last));
  }
  return chosen;
};

const requirementsText = (requirements: readonly Requirement[]): string =>
  `[${requirements.map(({ resource, missing }) => `(res: ${resource}, q: ${missing}), `).join('')}]`;

/**
 * The pods to end, in this order, so that nothing is missing for `pod`: those that are not critical or less important, as few
 * guaranteed ones as possible, then as few burstable ones, then as few others. An error if all of them together do not suffice.
 */
export const podsToPreempt = (
  pod: Pod,
  others: readonly Pod[],
  requirements: readonly Requirement[],
): readonly Pod[] | { readonly error: string } => {
  const candidates = others.filter((other) => isPreemptable(pod, other));
  const short = without(requirements, candidates);
  if (short.length > 0)
    return {
      error: `preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: ${requirementsText(short)}`,
    };
  const ofClass = (name: string): readonly Pod[] => candidates.filter((other) => podQosClass(other) === name);
  const [bestEffort, burstable] = [ofClass('BestEffort'), ofClass('Burstable')];
  const guaranteed = nearestPods(ofClass('Guaranteed'), without(requirements, [...bestEffort, ...burstable]));
  const middle = nearestPods(burstable, without(requirements, [...bestEffort, ...guaranteed]));
  const least = nearestPods(bestEffort, without(requirements, [...middle, ...guaranteed]));
  return [...least, ...middle, ...guaranteed];
};
