/** Which pods take resources of the node. Source: kubernetes v1.34 pkg/kubelet `filterOutInactivePods`. */
import type { PodPhase } from '../../../shared/kube/types/core.ts';
import { isTerminalPhase } from '../containers/agent-pod.ts';

export interface ActivityFacts {
  /** The phase in the API. */
  readonly apiPhase: PodPhase | undefined;
  /** The phase that the agent has computed; absent: none yet. */
  readonly localPhase: PodPhase | undefined;
  /** Whether the agent was told to end the pod. */
  readonly isEnding: boolean;
  /** Whether the agent has ended the pod, so that none of its containers runs. */
  readonly hasEnded: boolean;
}

/** Whether the pod counts: it has not ended, and is not terminal, unless its containers are just being ended. */
export const isActivePod = ({ apiPhase, localPhase, isEnding, hasEnded }: ActivityFacts): boolean =>
  !hasEnded && (isEnding || !(isTerminalPhase(apiPhase) || isTerminalPhase(localPhase)));
