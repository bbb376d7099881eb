/** Pods that may run for a limited time only. Source: kubernetes v1.34 pkg/kubelet `active_deadline.go`. */
import { type EpochMs, parseTime } from '../../../shared/kube/values/time.ts';
import type { AgentPod, AgentPodStatus } from '../containers/agent-pod.ts';

/** Reason and message of a pod that ran for too long. */
export const DEADLINE_EXCEEDED = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
} as const;

/** When the pod's time is over; `undefined` if it has no limit, or has not begun. */
export const deadlineOf = (
  { spec }: AgentPod,
  { startTime }: Pick<AgentPodStatus, 'startTime'>,
): EpochMs | undefined => {
  const startedAt = startTime === undefined ? undefined : parseTime(startTime);
  const { activeDeadlineSeconds: seconds } = spec;
  return startedAt === undefined || seconds === undefined ? undefined : startedAt + seconds * 1000;
};
