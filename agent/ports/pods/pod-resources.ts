/** What of the machine belongs to which container: CPUs, memory of NUMA nodes, swap. */

import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import type { Verdict } from '../../rules/pods/verdict.ts';
import type { ResourceBounds } from '../machine/runtime.ts';

export interface PodResources {
  /** How often containers are compared with the CPUs that they are to run on (ms); absent: they run on any. */
  readonly bindPeriodMs?: number;
  /** Gives the pod's containers what they are to have for themselves, or says why that cannot be. */
  admit(pod: AgentPod): Verdict;
  /** Adds to what a container may take. */
  containerBounds(pod: AgentPod, container: Container, bounds: ResourceBounds): ResourceBounds;
  podBounds(pod: AgentPod, bounds: ResourceBounds): ResourceBounds;
  /** A container runs: what only init containers before it had is free. */
  onStarted(pod: AgentPod, container: Container): void;
  /** All pods that take resources. What belongs to others is free. */
  keepOnly(pods: readonly AgentPod[]): void;
  /** The CPUs on which a container is to run, such as `0-2`; `undefined`: on any. */
  cpusOf(podUid: string, container: string): string | undefined;
  /** Calls back when CPUs of containers have changed; returns what ends that. */
  onChange(callback: () => void): () => void;
}

/** Files that outlive the agent. */
export interface CheckpointStore {
  read(name: string): string | undefined;
  write(name: string, text: string): void;
  /** For people. */
  path(name: string): string;
}
