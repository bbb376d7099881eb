/** On which file systems images and containers stand. Source: kubernetes v1.34 pkg/kubelet/eviction `helpers.go`. */
import { resourceOf, type Signal } from './thresholds/signals.ts';

export interface DiskLayout {
  /** Images stand on another file system than the agent's folder. */
  readonly hasImageFs: boolean;
  /** The writable layers of containers do not stand on the file system of the images. */
  readonly hasContainerFs: boolean;
}

/** What the agent deletes before it ends pods. */
export type NodeReclaim = 'containerGC' | 'imageGC';

/** What a file system is charged with. */
export type FsPart = 'rootfs' | 'logs' | 'volumes';

type FileSystem = 'nodefs' | 'imagefs' | 'containerfs';

const isDisk = (signal: Signal): boolean => !['memory', 'pids'].includes(resourceOf(signal));

const fileSystemOf = (signal: Signal): FileSystem => signal.split('.')[0] as FileSystem;

/** The parts that stand on each file system, and what frees room on it. */
interface Plan {
  readonly reclaim: Readonly<Record<FileSystem, readonly NodeReclaim[]>>;
  readonly parts: Readonly<Record<FileSystem, readonly FsPart[]>>;
}

const ALL_PARTS: readonly FsPart[] = ['rootfs', 'logs', 'volumes'];
const ALL_RECLAIM: readonly NodeReclaim[] = ['containerGC', 'imageGC'];

const ONE_DISK: Plan = {
  reclaim: { nodefs: ALL_RECLAIM, imagefs: ALL_RECLAIM, containerfs: ALL_RECLAIM },
  parts: { nodefs: ALL_PARTS, imagefs: ALL_PARTS, containerfs: ALL_PARTS },
};

const IMAGE_DISK: Plan = {
  reclaim: { nodefs: [], imagefs: ALL_RECLAIM, containerfs: ALL_RECLAIM },
  parts: { nodefs: ['logs', 'volumes'], imagefs: ['rootfs'], containerfs: ['rootfs'] },
};

const SPLIT_DISKS: Plan = {
  reclaim: { nodefs: ['containerGC'], imagefs: ['imageGC'], containerfs: ['containerGC'] },
  parts: { nodefs: ALL_PARTS, imagefs: [], containerfs: ALL_PARTS },
};

const planOf = ({ hasImageFs, hasContainerFs }: DiskLayout): Plan => {
  if (!hasImageFs) return ONE_DISK;
  return hasContainerFs ? SPLIT_DISKS : IMAGE_DISK;
};

/** What the agent deletes for a signal before it ends pods; nothing frees memory or process ids. */
export const nodeReclaimOf = (signal: Signal, layout: DiskLayout): readonly NodeReclaim[] =>
  isDisk(signal) ? planOf(layout).reclaim[fileSystemOf(signal)] : [];

/** The parts of a pod that count for a signal of a file system. */
export const partsOf = (signal: Signal, layout: DiskLayout): readonly FsPart[] =>
  planOf(layout).parts[fileSystemOf(signal)];
