/**
 * What a machine and its pods use, in the shape of the kubelet's Summary API, except for times. What is absent could not be measured.
 * Source: kubernetes v1.34 kubelet/pkg/apis/stats/v1alpha1 `types.go`.
 */
import type { EpochMs } from '../../../shared/kube/values/time.ts';

/** Milliseconds of a clock that is never set, such as the time since the machine has started. */
export type SteadyMs = number;

export interface MemoryStats {
  readonly time?: SteadyMs;
  /** What can still be taken: of the limit, or of the machine. */
  readonly availableBytes?: number;
  readonly usageBytes?: number;
  /** What the kernel cannot give back at once: usage without the file pages that nobody has used for a while. */
  readonly workingSetBytes?: number;
}

export interface SwapStats {
  readonly time?: SteadyMs;
  /** Absent without a limit. */
  readonly swapAvailableBytes?: number;
  readonly swapUsageBytes?: number;
}

export interface CpuStats {
  readonly time?: SteadyMs;
  /** Thousand-millionths of a core, on average since an earlier measurement. */
  readonly usageNanoCores?: number;
  /** How long before `time` that measurement was. A kubelet does not tell. */
  readonly windowMs?: number;
  readonly usageCoreNanoSeconds?: number;
}

export interface FsStats {
  readonly time?: SteadyMs;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

export interface VolumeStats extends FsStats {
  readonly name: string;
}

export interface ContainerStats {
  readonly name: string;
  readonly startedAt?: EpochMs;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly swap?: SwapStats;
  readonly rootfs?: FsStats;
  readonly logs?: FsStats;
}

export interface PodStats {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly startedAt?: EpochMs;
  readonly containers?: readonly ContainerStats[];
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly swap?: SwapStats;
  readonly volume?: readonly VolumeStats[];
  /** Writable layers, logs and local volumes together. */
  readonly 'ephemeral-storage'?: FsStats;
  /** How many times in a row what the pod stores could not be measured; absent: it was, or not yet. A kubelet does not tell. */
  readonly unmeasured?: number;
  readonly process_stats?: { readonly process_count?: number };
}

/** How many processes the machine may run, and how many it runs. */
export interface RlimitStats {
  readonly time?: SteadyMs;
  readonly maxpid?: number;
  readonly curproc?: number;
}

/** A cgroup that is not a pod's; `pods` is the one of all pods together. */
export interface SystemContainerStats {
  readonly name: string;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
}

/** The file systems of images and of writable layers. */
export interface RuntimeStats {
  readonly imageFs?: FsStats;
  readonly containerFs?: FsStats;
}

export interface NodeStats {
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly swap?: SwapStats;
  readonly fs?: FsStats;
  readonly runtime?: RuntimeStats;
  readonly rlimit?: RlimitStats;
  readonly systemContainers?: readonly SystemContainerStats[];
}
