/** What a pod uses. Source: kubernetes v1.34 pkg/kubelet/stats `cri_stats_provider.go`, `helper.go`. */
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { CgroupUsage } from './cgroup-usage.ts';
import { cpuStats, memoryStats, swapStats } from './node-stats.ts';
import type { ContainerStats, FsStats, PodStats, SteadyMs } from './summary.ts';

/** What a folder takes on its disk. */
export interface FolderSize {
  readonly bytes: number;
  readonly inodes: number;
}

export interface ContainerReading {
  readonly name: string;
  readonly startedAt?: EpochMs;
  readonly usage: CgroupUsage;
  /** The writable layer. */
  readonly rootfs?: FolderSize;
  readonly logs?: FolderSize;
}

export interface VolumeReading {
  readonly name: string;
  readonly size: FolderSize;
  /** Whether the volume lives on the node's disk and as long as the pod, so that it counts as the pod's storage. */
  readonly isEphemeral: boolean;
}

/** What was read about a pod. */
export interface PodReading {
  readonly podRef: PodStats['podRef'];
  readonly startedAt?: EpochMs;
  readonly usage: CgroupUsage;
  readonly containers: readonly ContainerReading[];
  readonly volumes: readonly VolumeReading[];
}

const folderStats = ({ bytes, inodes }: FolderSize, time: SteadyMs): FsStats => ({
  time,
  usedBytes: bytes,
  inodesUsed: inodes,
});

type Usage = Pick<ContainerStats, 'cpu' | 'memory' | 'swap'>;

const usageStats = ({ cpuNanoSeconds, memory, swap }: CgroupUsage, time: SteadyMs): Usage => ({
  ...optional('cpu', cpuStats(cpuNanoSeconds, time)),
  ...optional('memory', memory && memoryStats(memory, undefined, time)),
  ...optional('swap', swap && swapStats(swap, time)),
});

const containerStats = (
  { name, startedAt, usage, rootfs, logs }: ContainerReading,
  time: SteadyMs,
): ContainerStats => ({
  name,
  ...optional('startedAt', startedAt),
  ...usageStats(usage, time),
  ...(rootfs && { rootfs: folderStats(rootfs, time) }),
  ...(logs && { logs: folderStats(logs, time) }),
});

const sumOf = (sizes: readonly (FolderSize | undefined)[]): FolderSize => ({
  bytes: sizes.reduce((sum, size) => sum + (size?.bytes ?? 0), 0),
  inodes: sizes.reduce((sum, size) => sum + (size?.inodes ?? 0), 0),
});

/** The pod's part of the summary. Without a control group of its own, it has neither memory nor processes. */
export const podStats = (
  { podRef, startedAt, usage, containers, volumes }: PodReading,
  time: SteadyMs,
): PodStats => {
  const ephemeral = volumes.filter(({ isEphemeral }) => isEphemeral).map(({ size }) => size);
  const stored = sumOf([...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...ephemeral]);
  return {
    podRef,
    ...optional('startedAt', startedAt),
    ...usageStats(usage, time),
    containers: containers.map((container) => containerStats(container, time)),
    volume: volumes.map(({ name, size }) => ({ name, ...folderStats(size, time) })),
    'ephemeral-storage': folderStats(stored, time),
    process_stats: usage.processes ? { process_count: usage.processes.current } : {},
  };
};
