/** How a shutdown ends a pod. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown `killPods`. */
import type { Pod, PodStatus } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { terminatedByAgent } from '../pod-status/disruption.ts';

const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

/** Seconds that a pod has: those of its group, or fewer if it asks for fewer itself. */
export const shutdownGraceSeconds = ({ spec }: Pick<Pod, 'spec'>, groupSeconds: number): number =>
  Math.min(groupSeconds, spec.terminationGracePeriodSeconds ?? groupSeconds);

/** The pod's status when it is ended at `now`: failed, unless it has succeeded. */
export const endedStatus = (pod: Pod, status: PodStatus, now: EpochMs): PodStatus => ({
  ...terminatedByAgent(pod, status, MESSAGE, now),
  phase: status.phase === 'Succeeded' ? 'Succeeded' : 'Failed',
  reason: 'Terminated',
  message: MESSAGE,
});
