/** A recorded timeline, as it is played on a host. */
import type { Cluster, PodStatus } from './cluster.ts';
import type { WatchedKind } from './watched.ts';

export interface Scenario {
  /** Of the recorded controller manager, and those that keep the host's other controllers out of it. */
  readonly settings?: readonly string[];
  readonly watched: readonly WatchedKind[];
  /** Fields of `spec` that other controllers than the recorded ones write. */
  readonly ignored?: readonly string[];
  /** Seconds by which an instant may lie outside of the recorded ones; more where each step begins when the one before is done. */
  readonly tolerance: number;
  /** Seconds between passes of the monitor: a change of a condition, and of the taint that follows by the next pass, may lie so far apart. */
  readonly passSeconds?: number;
  /** Components whose Events were not recorded; absent: those of the node lifecycle. */
  readonly silenced?: readonly string[];
  /** Kubelets run the pods of nodes that live, and report this of them. */
  readonly kubelets?: PodStatus;
  /** A driver's attacher acts on VolumeAttachments. */
  readonly hasAttacher?: boolean;
  /** What is there before the controllers start. */
  before?(cluster: Cluster): Promise<void>;
  play(cluster: Cluster): Promise<void>;
}
