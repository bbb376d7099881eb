/** The pods of the node, as the agent's server asks for them. */
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { ContainerStreams } from '../machine/container-streams.ts';

export interface ServedPods {
  /** With the status that the agent computed last. */
  find(namespace: string, name: string): AgentPod | undefined;
  /** The API's copy of a pod of this node, for one that the agent has not read yet; `undefined`: there is none. Rejects if that is not known. */
  read(namespace: string, name: string): Promise<AgentPod | undefined>;
  isRunning(podUid: string, containerId: string): Promise<boolean>;
  /** Calls back with the uid of a pod when one of its containers has ended; returns what ends that. */
  onChange(callback: (podUid: string) => void): () => void;
  readonly streams: ContainerStreams;
}
