import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Known } from '../../rules/known.ts';
import type { FolderSize } from '../../rules/stats/pod-storage.ts';
import type { NodeStats, PodStats } from '../../rules/stats/summary.ts';

/** A container that runs. Folders are absent where it has none of its own. */
export interface ContainerToMeasure {
  readonly name: string;
  readonly startedAt?: EpochMs;
  readonly cgroup: string;
  /** The writable layer. */
  readonly rootfs?: string;
  readonly logs?: string;
  /** What the writable layer takes, where the runtime says it; `undefined`: the container has none that counts. */
  readonly layer?: () => Known<FolderSize> | undefined;
}

/** Where a pod keeps what it uses. Control groups begin with `/`. */
export interface PodToMeasure {
  readonly podRef: PodStats['podRef'];
  readonly startedAt?: EpochMs;
  readonly cgroup: string;
  readonly containers: readonly ContainerToMeasure[];
  readonly volumes: readonly {
    readonly name: string;
    readonly folder: string;
    /** Whether the volume lives on the node's disk and as long as the pod. */
    readonly isEphemeral: boolean;
  }[];
}

/** What is measured of pods: what they store, which is known from earlier, or their memory, processors and processes, too. */
export type Depth = 'storage' | 'all';

/** Measures the machine and its pods. */
export interface StatsSource {
  /** Rejects if not even the machine's memory can be read. What else cannot be measured is absent. */
  node(): Promise<NodeStats>;
  /** What cannot be measured is absent. */
  pods(pods: readonly PodToMeasure[], depth: Depth): Promise<readonly PodStats[]>;
}
