/** What can run short on a machine. Source: kubernetes v1.34 pkg/kubelet/eviction `helpers.go`. */

export const SIGNALS = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
] as const;

export type Signal = (typeof SIGNALS)[number];

/** Why a pod is evicted, as `kubelet_evictions` names it: what the machine is short of, or which limit of its own the pod exceeds. */
export type EvictionSignal =
  | Signal
  | 'emptydirfs.limit'
  | 'ephemeralpodfs.limit'
  | 'ephemeralcontainerfs.limit';

/** What is given back by the end of a pod, as messages name it. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

export type PressureCondition = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

export const isSignal = (text: string): text is Signal => (SIGNALS as readonly string[]).includes(text);

export const isMemorySignal = (signal: Signal): boolean =>
  signal === 'memory.available' || signal === 'allocatableMemory.available';

export const resourceOf = (signal: Signal): StarvedResource => {
  if (isMemorySignal(signal)) return 'memory';
  if (signal === 'pid.available') return 'pids';
  return signal.endsWith('.inodesFree') ? 'inodes' : 'ephemeral-storage';
};

const CONDITIONS: Readonly<Record<StarvedResource, PressureCondition>> = {
  memory: 'MemoryPressure',
  'ephemeral-storage': 'DiskPressure',
  inodes: 'DiskPressure',
  pids: 'PIDPressure',
};

/** The condition of the node that says so. */
export const conditionOf = (signal: Signal): PressureCondition => CONDITIONS[resourceOf(signal)];
