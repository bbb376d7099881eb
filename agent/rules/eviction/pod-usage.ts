/** What a pod takes of that which runs short. Source: kubernetes v1.34 pkg/kubelet/eviction `helpers.go`. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { ContainerStats, FsStats, PodStats } from '../stats/summary.ts';
import type { FsPart } from './disk-layout.ts';
import { type LocalVolume, volumesOf } from './pod-spec.ts';

/** A resource of a file system. */
export type DiskResource = 'ephemeral-storage' | 'inodes';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Whether what is stored in the volume stands on the node's disk and is the pod's. */
const isLocal = ({ hostPath, configMap, gitRepo, emptyDir }: LocalVolume): boolean =>
  [hostPath, configMap, gitRepo].some((source) => source !== undefined) ||
  (emptyDir !== undefined && (emptyDir.medium ?? '') === '');

const usedOf = (fs: FsStats | undefined, resource: DiskResource): number =>
  (resource === 'inodes' ? fs?.inodesUsed : fs?.usedBytes) ?? 0;

/** Bytes or inodes of a pod on the parts of a file system. */
export const diskUsage = (
  pod: Pod,
  { containers = [], volume = [] }: PodStats,
  parts: readonly FsPart[],
  resource: DiskResource,
): number => {
  const local = new Set(volumesOf(pod).flatMap((one) => (isLocal(one) ? [one.name] : [])));
  const counted: Readonly<Record<FsPart, readonly (FsStats | undefined)[]>> = {
    rootfs: containers.map(({ rootfs }) => rootfs),
    logs: containers.map(({ logs }) => logs),
    volumes: volume.filter(({ name }) => local.has(name)),
  };
  return sum(parts.flatMap((part) => counted[part]).map((fs) => usedOf(fs, resource)));
};

/** Bytes that the kernel cannot take back from the pod. */
export const memoryUsage = ({ memory }: PodStats): number => memory?.workingSetBytes ?? 0;

export const processUsage = ({ process_stats }: PodStats): number => process_stats?.process_count ?? 0;

/** Bytes that a container has written; `undefined` as long as one of the two is not measured. */
export const writtenBytes = ({ rootfs, logs }: ContainerStats): number | undefined =>
  rootfs?.usedBytes === undefined || logs?.usedBytes === undefined
    ? undefined
    : rootfs.usedBytes + logs.usedBytes;
