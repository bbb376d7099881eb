/** What the processes of a control plane have taken of the machine. */
import { existsSync, readFileSync } from 'node:fs';
import { processorMs, residentMb } from '../figures/processor-time.ts';
import { sum } from '../figures/statistics.ts';

export interface ServerUse {
  /** Processor time since their start. */
  readonly cpuMs: number;
  /** What they have made Linux write to a disk since their start. */
  readonly writtenBytes: number;
}

/** Whether the machine tells what processes write. */
export const tellsWrites = (): boolean => existsSync('/proc/self/io');

/** Bytes that a process has sent towards a disk, by the text of its `/proc/<pid>/io`. What was deleted before it got there counts. */
export const writtenIn = (io: string): number => Number(/^write_bytes: (\d+)$/m.exec(io)?.[1] ?? Number.NaN);

/** Of all of them together. Throws if one has ended. */
export const useOf = (pids: readonly number[]): ServerUse => {
  const written = pids.map((pid) => writtenIn(readFileSync(`/proc/${pid}/io`, 'utf8')));
  return { cpuMs: sum(pids.map(processorMs)), writtenBytes: sum(written) };
};

export const residentMbOf = (pids: readonly number[]): number => sum(pids.map(residentMb));
