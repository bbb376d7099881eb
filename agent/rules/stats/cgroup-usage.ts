/** What a control group uses, from its files. Source: cgroups(7); kernel `Documentation/admin-guide/cgroup-v1/memory.rst`, `cgroup-v2.rst`. */
import { numberIn } from '../machine/proc-files.ts';
import type { CgroupVersion, Controller } from './cgroup-layout.ts';

export interface MemoryUsage {
  readonly usageBytes: number;
  /** What the kernel cannot give back at once: without the file pages that nobody has used for a while. */
  readonly workingSetBytes: number;
  /** Absent without a limit. */
  readonly limitBytes?: number;
}

export interface SwapUsage {
  readonly usageBytes: number;
  /** Absent without a limit, and in version 1, whose limit is one of memory and swap together. */
  readonly limitBytes?: number;
}

export interface ProcessUsage {
  /** Processes and threads. */
  readonly current: number;
  readonly max?: number;
}

/** What could not be read is absent. */
export interface CgroupUsage {
  readonly memory?: MemoryUsage;
  readonly swap?: SwapUsage;
  readonly processes?: ProcessUsage;
  /** Time of processors, of all of them together. */
  readonly cpuNanoSeconds?: number;
}

/** Files by the controller that they belong to. */
export const FILES: Readonly<Record<CgroupVersion, Readonly<Record<Controller, readonly string[]>>>> = {
  v1: {
    memory: ['memory.usage_in_bytes', 'memory.limit_in_bytes', 'memory.stat'],
    pids: ['pids.current', 'pids.max'],
    cpuacct: ['cpuacct.usage'],
    cpu: [],
  },
  v2: {
    memory: ['memory.current', 'memory.max', 'memory.stat', 'memory.swap.current', 'memory.swap.max'],
    pids: ['pids.current', 'pids.max'],
    cpuacct: ['cpu.stat'],
    cpu: [],
  },
};

/** Texts of files by their names. */
export type FileTexts = ReadonlyMap<string, string>;

/** From here on, a number of version 1 means that there is no limit. Source: cadvisor's `maxMemorySize`. */
const UNLIMITED = 2 ** 62;

/** `max`, and the number of version 1 that stands for it, are no limits. */
const limitIn = (text = ''): number | undefined => {
  const limit = numberIn(text);
  return limit === undefined || limit > UNLIMITED ? undefined : limit;
};

/** The number behind a name in a file of lines such as `inactive_file 5307346944`. */
const statIn = (text: string | undefined, name: string): number | undefined => {
  const [, digits] = new RegExp(`^${name} (\\d+)$`, 'm').exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** The root of version 2 has no `memory.current`: anonymous and file pages make up what version 1 counts. Source: runc `rootStatsFromMeminfo`. */
const rootUsage = (stat: string | undefined): number | undefined => {
  const [anon, file] = [statIn(stat, 'anon'), statIn(stat, 'file')];
  return anon === undefined || file === undefined ? undefined : anon + file;
};

const memoryIn = (version: CgroupVersion, files: FileTexts): MemoryUsage | undefined => {
  const [current = '', limit = '', stat = ''] = FILES[version].memory.map((name) => files.get(name));
  const usageBytes = numberIn(current) ?? (version === 'v2' ? rootUsage(stat) : undefined);
  if (usageBytes === undefined) return undefined;
  const idle = statIn(stat, version === 'v1' ? 'total_inactive_file' : 'inactive_file') ?? 0;
  const limitBytes = limitIn(limit);
  return {
    usageBytes,
    workingSetBytes: Math.max(0, usageBytes - idle),
    ...(limitBytes !== undefined && { limitBytes }),
  };
};

/** Kernels without accounting of swap have none of these. */
const swapIn = (version: CgroupVersion, files: FileTexts): SwapUsage | undefined => {
  const isFirst = version === 'v1';
  const usageBytes = isFirst
    ? statIn(files.get('memory.stat'), 'total_swap')
    : numberIn(files.get('memory.swap.current') ?? '');
  if (usageBytes === undefined) return undefined;
  const limitBytes = isFirst ? undefined : limitIn(files.get('memory.swap.max'));
  return { usageBytes, ...(limitBytes !== undefined && { limitBytes }) };
};

const processesIn = (files: FileTexts): ProcessUsage | undefined => {
  const [current, max] = [numberIn(files.get('pids.current') ?? ''), limitIn(files.get('pids.max'))];
  return current === undefined ? undefined : { current, ...(max !== undefined && { max }) };
};

const MICROSECOND = 1000;

const cpuIn = (version: CgroupVersion, files: FileTexts): number | undefined => {
  if (version === 'v1') return numberIn(files.get('cpuacct.usage') ?? '');
  const microseconds = statIn(files.get('cpu.stat'), 'usage_usec');
  return microseconds === undefined ? undefined : microseconds * MICROSECOND;
};

/** `versionOf`: the version of the tree that a controller belongs to; absent controllers measure nothing. */
export const cgroupUsage = (
  versionOf: (controller: Controller) => CgroupVersion | undefined,
  files: FileTexts,
): CgroupUsage => {
  const [memoryVersion, cpuVersion] = [versionOf('memory'), versionOf('cpuacct')];
  const memory = memoryVersion && memoryIn(memoryVersion, files);
  const swap = memoryVersion && swapIn(memoryVersion, files);
  const processes = versionOf('pids') && processesIn(files);
  const cpuNanoSeconds = cpuVersion && cpuIn(cpuVersion, files);
  return {
    ...(memory && { memory }),
    ...(swap && { swap }),
    ...(processes && { processes }),
    ...(cpuNanoSeconds !== undefined && { cpuNanoSeconds }),
  };
};
