/** What those who run pods need of the rest of the agent. */

import type { ImageManager } from '../../images/image-manager.ts';
import type { PodEvents } from '../../ports/api/pod-events.ts';
import type { PodObjects } from '../../ports/api/pod-objects.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { Runtime } from '../../ports/machine/runtime.ts';
import type { Log } from '../../ports/machine/shutdown.ts';
import type { PodResources } from '../../ports/pods/pod-resources.ts';
import type { PodVolumes } from '../../ports/pods/pod-volumes.ts';
import type { ProbeWorkers } from '../../probes/probe-workers.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import type { RuntimeView } from './runtime-view.ts';
import type { StatusSync } from './status-sync.ts';

/** What is known of the node. */
export interface NodeOfPods {
  /** None if they are not known. The first is the main one. */
  hostIPs(): readonly string[];
  allocatable(): Readonly<Record<string, string>>;
  /** Bytes. */
  memoryCapacity(): number;
  /** Processes that a pod may have; absent: as many as it likes. */
  readonly podPidsLimit?: number;
  /** Environment variables that tell containers where the API is. */
  readonly services: Readonly<Record<string, string>>;
  /** Folder of the logs of all pods. */
  readonly logFolder: string;
}

/** Runs the hooks of containers. */
export interface Hooks {
  /** Rejects with what the container's status tells. `signal` ends the wait, not the hook. */
  postStart(pod: AgentPod, container: Container, id: string, signal: AbortSignal): Promise<void>;
  preStop(pod: AgentPod, container: Container, id: string): Promise<void>;
}

export interface PodDeps {
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly view: RuntimeView;
  /** Absent: the runtime has no images of its own. */
  readonly images?: ImageManager;
  readonly volumes: PodVolumes;
  readonly objects: PodObjects;
  readonly statuses: Pick<StatusSync, 'status' | 'set' | 'finish'>;
  /** A status was set. */
  readonly onStatus: () => void;
  readonly probes: ProbeWorkers;
  readonly events: PodEvents;
  readonly hooks: Hooks;
  readonly node: NodeOfPods;
  /** Absent: containers share all that the machine has. */
  readonly resources?: PodResources;
  readonly log: Log;
}
