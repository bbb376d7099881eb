/** What a process takes of the machine, by Linux' own files. */
import { readdirSync, readFileSync } from 'node:fs';

const KB_PER_MB = 1024;
/** Linux counts processor time in hundredths of a second for programs, whatever it does inside. */
const TICK_MS = 10;

const textOf = (pid: number, name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');

const numberAfter = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);

export interface MemoryUse {
  readonly rssMb: number;
  /** Pages that others map, too, count in parts. */
  readonly pssMb: number;
}

export const memoryUse = (pid: number): MemoryUse => {
  const text = textOf(pid, 'smaps_rollup');
  return { rssMb: numberAfter(text, 'Rss') / KB_PER_MB, pssMb: numberAfter(text, 'Pss') / KB_PER_MB };
};

export interface ProcessorUse {
  /** Of all its threads (ms). */
  readonly ownMs: number;
  /** Of processes that it has started, and that have ended (ms). */
  readonly childrenMs: number;
}

/** Processor time since the start. */
export const processorUse = (pid: number): ProcessorUse => {
  const fields = textOf(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  const [user = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = fields.slice(11, 15).map(Number);
  return { ownMs: (user + system) * TICK_MS, childrenMs: (ofChildren + systemOfChildren) * TICK_MS };
};

/** How often its threads have waited and been woken since the start. */
export const wakeUps = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + numberAfter(textOf(pid, `task/${thread}/status`), 'voluntary_ctxt_switches'),
    0,
  );

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** The processes that it has started and that run. */
export const childrenOf = (pid: number): readonly number[] =>
  textOf(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
