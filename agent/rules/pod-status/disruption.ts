/** Pods that the agent itself ends. Source: kubernetes v1.34 pkg/kubelet. */
import type { Pod, PodStatus } from '../../../shared/kube/types/core.ts';
import { DISRUPTION_TARGET } from '../../../shared/kube/types/well-known.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { withPodCondition } from '../../../shared/rules/pods/pod-conditions.ts';

/** The status with the condition that the agent ends the pod at `now`, and why. */
export const terminatedByAgent = (pod: Pod, status: PodStatus, message: string, now: EpochMs): PodStatus => {
  const { generation } = pod.metadata;
  const target = {
    type: DISRUPTION_TARGET,
    status: 'True',
    reason: 'TerminationByKubelet',
    message,
    ...optional('observedGeneration', generation),
  } as const;
  return withPodCondition({ ...pod, status }, target, now).status ?? status;
};
