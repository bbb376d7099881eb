/** What a machine has left. Source: kubernetes v1.34 pkg/kubelet/stats; cadvisor `info/v1`. */
import type { FileSystemSize } from '../machine/machine.ts';
import { numberIn, tasksIn } from '../machine/proc-files.ts';
import type { CgroupUsage, MemoryUsage, ProcessUsage, SwapUsage } from './cgroup-usage.ts';
import type {
  CpuStats,
  FsStats,
  MemoryStats,
  NodeStats,
  RlimitStats,
  RuntimeStats,
  SteadyMs,
  SwapStats,
  SystemContainerStats,
} from './summary.ts';

/** How many tasks the machine may have, and has; unknown numbers are absent. */
export interface TaskCounts {
  readonly max?: number;
  readonly current?: number;
}

const least = (numbers: readonly (number | undefined)[]): number | undefined => {
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** The kernel has two limits for the whole machine. Texts that are `undefined` could not be read. */
export const taskCounts = (
  pidMax: string | undefined,
  threadsMax: string | undefined,
  loadAverage: string | undefined,
): TaskCounts => {
  const max = least([pidMax, threadsMax].map((text) => numberIn(text ?? '')));
  const current = tasksIn(loadAverage ?? '');
  return { ...(max !== undefined && { max }), ...(current !== undefined && { current }) };
};

/** A machine whose control group allows fewer processes has only these. */
const rlimitStats = (tasks: TaskCounts, own: ProcessUsage | undefined, time: SteadyMs): RlimitStats => {
  const isLimited = own?.max !== undefined && own.max < (tasks.max ?? Infinity);
  const { max: maxpid, current: curproc } = isLimited ? own : tasks;
  return {
    time,
    ...(maxpid !== undefined && { maxpid }),
    ...(curproc !== undefined && { curproc }),
  };
};

/** `capacityBytes`: of the machine. Without it, only what has a limit has something available. */
export const memoryStats = (
  { usageBytes, workingSetBytes, limitBytes }: MemoryUsage,
  capacityBytes: number | undefined,
  time: SteadyMs,
): MemoryStats => {
  const most = least([limitBytes, capacityBytes]);
  return {
    time,
    usageBytes,
    workingSetBytes,
    ...(most !== undefined && { availableBytes: Math.max(0, most - workingSetBytes) }),
  };
};

export const swapStats = ({ usageBytes, limitBytes }: SwapUsage, time: SteadyMs): SwapStats => ({
  time,
  ...(limitBytes !== undefined && { swapAvailableBytes: Math.max(0, limitBytes - usageBytes) }),
  swapUsageBytes: usageBytes,
});

/** Without a control group for memory, by what the kernel says of the whole machine. */
const memoryWithoutCgroup = (
  availableBytes: number | undefined,
  capacityBytes: number,
  time: SteadyMs,
): MemoryStats | undefined =>
  availableBytes === undefined
    ? undefined
    : { time, availableBytes, workingSetBytes: Math.max(0, capacityBytes - availableBytes) };

export const cpuStats = (usageCoreNanoSeconds: number | undefined, time: SteadyMs): CpuStats | undefined =>
  usageCoreNanoSeconds === undefined ? undefined : { time, usageCoreNanoSeconds };

const fsStats = ({ available, capacity, inodes, inodesFree }: FileSystemSize, time: SteadyMs): FsStats => ({
  time,
  availableBytes: available,
  capacityBytes: capacity,
  inodesFree,
  inodes,
});

/** What was read at `time`. */
export interface NodeReading {
  readonly memoryCapacityBytes: number;
  /** What the kernel says that processes can still take. */
  readonly memoryAvailableBytes?: number;
  /** Of the whole machine. */
  readonly swap?: SwapUsage;
  /** The control group that stands for the whole machine, and the one of all pods. */
  readonly own: CgroupUsage;
  readonly pods?: CgroupUsage;
  readonly tasks: TaskCounts;
  /** Of the agent's folder, of images, of writable layers. */
  readonly nodeFs?: FileSystemSize;
  readonly imageFs?: FileSystemSize;
  readonly containerFs?: FileSystemSize;
}

const podsContainer = (pods: CgroupUsage | undefined, time: SteadyMs): readonly SystemContainerStats[] => {
  if (!pods) return [];
  const cpu = cpuStats(pods.cpuNanoSeconds, time);
  const memory = pods.memory && memoryStats(pods.memory, undefined, time);
  return [{ name: 'pods', ...(cpu && { cpu }), ...(memory && { memory }) }];
};

const runtimeStats = ({ imageFs, containerFs }: NodeReading, time: SteadyMs): RuntimeStats => ({
  ...(imageFs && { imageFs: fsStats(imageFs, time) }),
  ...(containerFs && { containerFs: fsStats(containerFs, time) }),
});

/** The machine's part of the summary. What is absent was not to be read: no threshold of it is met. */
export const nodeStats = (reading: NodeReading, time: SteadyMs): NodeStats => {
  const { own, pods, tasks, nodeFs, memoryCapacityBytes, swap } = reading;
  const cpu = cpuStats(own.cpuNanoSeconds, time);
  const memory = own.memory
    ? memoryStats(own.memory, memoryCapacityBytes, time)
    : memoryWithoutCgroup(reading.memoryAvailableBytes, memoryCapacityBytes, time);
  return {
    ...(cpu && { cpu }),
    ...(memory && { memory }),
    ...(swap && { swap: swapStats(swap, time) }),
    ...(nodeFs && { fs: fsStats(nodeFs, time) }),
    runtime: runtimeStats(reading, time),
    rlimit: rlimitStats(tasks, own.processes, time),
    systemContainers: podsContainer(pods, time),
  };
};
