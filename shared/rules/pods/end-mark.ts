/** The condition of a pod by which its owner knows that its node is ending it. */
import type { Pod } from '../../kube/types/core.ts';
import { DISRUPTION_TARGET } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isFinished } from './deletion.ts';
import { type Disruption, withDisruptionTarget } from './disruption-target.ts';

const ENDS: Disruption = {
  reason: 'NodeShutdown',
  message: 'The node is shutting down and ends the pod.',
};

const targetOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === DISRUPTION_TARGET);

/** Whether the pod is said to end with its node, and has not ended. Its owner counts it as it counts one that is being deleted. */
export const isEndingWithNode = (pod: Pod): boolean => {
  const target = targetOf(pod);
  return target?.status === 'True' && target.reason === ENDS.reason && !isFinished(pod);
};

/** The pod with the condition from `now` (ms) on; the same object if it is disrupted already. */
export const withEndMark = (pod: Pod, now: EpochMs): Pod =>
  targetOf(pod)?.status === 'True' ? pod : withDisruptionTarget(pod, ENDS, now);

/** The pod without the condition; the same object if it has none, or has ended. */
export const withoutEndMark = (pod: Pod): Pod => {
  if (!isEndingWithNode(pod)) return pod;
  const conditions = (pod.status?.conditions ?? []).filter(({ type }) => type !== DISRUPTION_TARGET);
  return { ...pod, status: { ...pod.status, conditions } };
};
