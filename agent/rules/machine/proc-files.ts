/** Readings of Linux' files under `/proc` and `/sys`. Source: proc(5); cadvisor `machine`. */
import type { HugePages } from './machine.ts';

/** Logical processors in `/proc/cpuinfo`; at least 1. */
export const coresIn = (cpuInfo: string): number =>
  Math.max(1, [...cpuInfo.matchAll(/^processor\s*\d*\s*:/gm)].length);

export interface Memory {
  /** Bytes. */
  readonly totalBytes: number;
  /** Bytes; 0 without swap. */
  readonly swapBytes: number;
  /** Bytes of it that nothing is stored in. */
  readonly swapFreeBytes: number;
}

const kilobytes = (memInfo: string, name: string): number | undefined => {
  const [, digits] = new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(memInfo) ?? [];
  return digits === undefined ? undefined : Number(digits) * 1024;
};

/** Memory and swap in `/proc/meminfo`; `undefined` if it does not tell the memory. */
export const memoryIn = (memInfo: string): Memory | undefined => {
  const totalBytes = kilobytes(memInfo, 'MemTotal');
  if (totalBytes === undefined) return undefined;
  const [swapBytes = 0, swapFreeBytes = 0] = ['SwapTotal', 'SwapFree'].map((name) =>
    kilobytes(memInfo, name),
  );
  return { totalBytes, swapBytes, swapFreeBytes };
};

/** What processes can still take, in bytes, by `/proc/meminfo`; `undefined` on kernels before 3.14. */
export const availableMemoryIn = (memInfo: string): number | undefined => kilobytes(memInfo, 'MemAvailable');

/** A file of `/proc/sys` that holds one number, such as `kernel/pid_max`. */
export const numberIn = (text: string): number | undefined =>
  /^\d+\s*$/.test(text) ? Number(text) : undefined;

/** How many tasks there are, by `/proc/loadavg`: the number behind the slash in `9.34 7.44 5.53 10/290 19116`. */
export const tasksIn = (loadAverage: string): number | undefined => {
  const [, tasks] = /^\S+ \S+ \S+ \d+\/(\d+) \d+\s*$/.exec(loadAverage) ?? [];
  return tasks === undefined ? undefined : Number(tasks);
};

/** When the machine was started, in ms since the epoch, by `btime` of `/proc/stat`. It moves when the clock is set. */
export const bootTimeIn = (stat: string): number | undefined => {
  const [, seconds] = /^btime (\d+)$/m.exec(stat) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
};

/** Huge pages of one size, from the name of its folder in `/sys/kernel/mm/hugepages` and its file `nr_hugepages`. */
export const hugePagesIn = (folder: string, count: string): HugePages | undefined => {
  const [, size] = /^hugepages-(\d+)kB$/.exec(folder) ?? [];
  const [, pages] = /^(\d+)\s*$/.exec(count) ?? [];
  if (size === undefined || pages === undefined) return undefined;
  return { pageSizeKiB: Number(size), numPages: Number(pages) };
};

/** An id that a file holds alone, such as `/etc/machine-id`; `undefined` if the file is empty. */
export const idIn = (text: string): string | undefined => text.replaceAll('\0', '').trim() || undefined;
