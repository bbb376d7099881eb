/** What a pod uses. Source: kubernetes v1.34 pkg/kubelet/stats `cri_stats_provider.go`, `helper.go`. */
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Known } from '../known.ts';
import type { CgroupUsage } from './cgroup-usage.ts';
import { cpuStats, memoryStats, swapStats } from './node-stats.ts';
import { type FolderSize, type PodStorage, sizeIn } from './pod-storage.ts';
import type { ContainerStats, FsStats, PodStats, SteadyMs } from './summary.ts';

export interface ContainerReading {
  readonly name: string;
  readonly startedAt?: EpochMs;
  readonly usage: CgroupUsage;
  /** Folder of the writable layer. */
  readonly rootfs?: string;
  readonly logs?: string;
  /** What the runtime says of the writable layer; absent: it says nothing. */
  readonly layer?: Known<FolderSize>;
}

export interface VolumeReading {
  readonly name: string;
  readonly folder: string;
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
  readonly storage: PodStorage;
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
  { name, startedAt, usage, layer, ...folders }: ContainerReading,
  storage: PodStorage,
  time: SteadyMs,
): ContainerStats => {
  const told = layer?.isKnown ? layer.value : undefined;
  const [rootfs, logs] = [told ?? sizeIn(storage, folders.rootfs), sizeIn(storage, folders.logs)];
  return {
    name,
    ...optional('startedAt', startedAt),
    ...usageStats(usage, time),
    ...optional('rootfs', rootfs && folderStats(rootfs, time)),
    ...optional('logs', logs && folderStats(logs, time)),
  };
};

const sumOf = (sizes: readonly (FolderSize | undefined)[]): FolderSize => ({
  bytes: sizes.reduce((sum, size) => sum + (size?.bytes ?? 0), 0),
  inodes: sizes.reduce((sum, size) => sum + (size?.inodes ?? 0), 0),
});

/** Writable layers, logs and local volumes together. What is not known has no sum. */
const storedStats = (
  { storage, containers, volumes }: PodReading,
  time: SteadyMs,
): Pick<PodStats, 'ephemeral-storage' | 'unmeasured'> => {
  if (storage.is === 'not measured yet') return {};
  if (storage.is === 'unknown') return { unmeasured: storage.timesInARow };
  const local = volumes.filter(({ isEphemeral }) => isEphemeral).map(({ folder }) => folder);
  const folders = [...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]), ...local];
  const layers = containers.flatMap(({ layer }) => layer ?? []);
  if (layers.some(({ isKnown }) => !isKnown)) return {};
  const told = layers.map((layer) => (layer.isKnown ? layer.value : undefined));
  const sizes = [...told, ...folders.map((one) => sizeIn(storage, one))];
  return { 'ephemeral-storage': folderStats(sumOf(sizes), time) };
};

/** The pod's part of the summary. Without a control group of its own, it has neither memory nor processes. */
export const podStats = (reading: PodReading, time: SteadyMs): PodStats => {
  const { podRef, startedAt, usage, containers, volumes, storage } = reading;
  return {
    podRef,
    ...optional('startedAt', startedAt),
    ...usageStats(usage, time),
    containers: containers.map((container) => containerStats(container, storage, time)),
    volume: volumes.flatMap(({ name, folder }) => {
      const size = sizeIn(storage, folder);
      return size ? [{ name, ...folderStats(size, time) }] : [];
    }),
    ...storedStats(reading, time),
    process_stats: usage.processes ? { process_count: usage.processes.current } : {},
  };
};
