/** When the agent takes a pod away from the API. Source: kubernetes v1.34 pkg/kubelet/status `canBeDeleted`. */
import { isMirrorPod } from '../../../shared/rules/pods/mirror-pod.ts';
import { type AgentPod, isTerminalPhase } from '../containers/agent-pod.ts';

/**
 * Whether the deletion of the pod is to be confirmed. `isFinished`: its containers have ended, and its volumes and its
 * cgroup are gone. A mirror pod stays for as long as its static pod does.
 */
export const canBeDeleted = (pod: AgentPod, isFinished: boolean): boolean =>
  pod.metadata.deletionTimestamp !== undefined &&
  !isMirrorPod(pod) &&
  isTerminalPhase(pod.status?.phase) &&
  isFinished;
