import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import type { Mount } from '../machine/runtime.ts';
import type { PodToMeasure } from '../machine/stats-source.ts';

/** Why a volume is not there, or not as it should be. */
export interface VolumeFault {
  readonly volume: string;
  /** As the kubelet's event tells it. */
  readonly message: string;
  /** Whether containers can do without: the volume is there as it was before. */
  readonly isThere: boolean;
}

/** What the containers of a pod start with, or why they cannot. */
export type Mounts = { readonly mounts: readonly Mount[] } | { readonly fault: string };

/** The volumes of pods on the machine. What is on the disk counts, so that an agent that starts again finds it. */
export interface PodVolumes {
  /** Makes what is missing, and brings up to date what has changed. Resolves to what failed; a later call tries again. */
  setUp(pod: AgentPod): Promise<readonly VolumeFault[]>;
  /** What the container sees. Call it after `setUp`. `variables` are those of its environment. */
  mounts(pod: AgentPod, container: Container, variables: ReadonlyMap<string, string>): Promise<Mounts>;
  /**
   * Removes all volumes of the pod; what is there on the machine by itself stays. They are gone for the pod and the API when it
   * resolves, and are deleted from the disk later. Rejects if something is left in its place.
   */
  tearDown(uid: string): Promise<void>;
  /** Whether files of a pod that was torn down still take room on the disk. */
  isBeingDeleted(uid: string): boolean;
  /** The uids of all pods of which something is on the disk. */
  uids(): Promise<readonly string[]>;
  /** Folders of the pod to measure. */
  measured(pod: AgentPod): PodToMeasure['volumes'];
}
