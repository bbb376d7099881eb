import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { PodApi } from './pod-api.ts';

/** The API's copies of static pods. All methods reject if the API refuses or cannot be reached. */
export interface MirrorApi extends Pick<PodApi, 'delete'> {
  /** All mirror pods of this node. */
  mirrors(): Promise<readonly AgentPod[]>;
  /** Resolves to the pod as the API has it. */
  create(pod: AgentPod): Promise<AgentPod>;
}
