import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';

/** The API's pods, as the agent writes them. All methods reject if the API refuses or cannot be reached. */
export interface PodApi {
  /** `undefined` if there is none of that name. */
  get(namespace: string, name: string): Promise<AgentPod | undefined>;
  /** Sends a strategic merge patch of the status, and returns the pod after it. */
  patchStatus(namespace: string, name: string, patch: JsonObject): Promise<AgentPod>;
  /** Deletes the pod of this uid at once. */
  delete(namespace: string, name: string, uid: string): Promise<void>;
}

/** What the agent knows of its pods. */
export interface KnownPods {
  byUid(uid: string): AgentPod | undefined;
  /** The API's copy of a static pod; `undefined` if it has none yet, or if the pod is not static. */
  mirrorOf(uid: string): AgentPod | undefined;
  /** Whether a container of the pod may still run. */
  mayRun(pod: AgentPod): boolean;
}
