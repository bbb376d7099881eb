/** How long work on a host holds the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

const RESOLUTION_MS = 5;
const NS_PER_MS = 1e6;

/** Processor milliseconds of this thread so far. */
export const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** How a host of this process behaved during some work. */
export interface Watched {
  readonly ms: number;
  /** The longest time for which the event loop did not turn. */
  readonly stallMs: number;
  /** Most processor time of the thread between two turns of a timer. */
  readonly turnMs: number;
  /** Processor time of the thread. */
  readonly cpuMs: number;
}

/** Measures the event loop during some work. On a machine that others use, too, processor time says what a free one would take. */
export const watched = async (work: () => Promise<unknown>): Promise<Watched> => {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const samples = [threadMs()];
  const timer = setInterval(() => samples.push(threadMs()), RESOLUTION_MS);
  const startedAt = performance.now();
  delay.enable();
  await work();
  // A stall that ends with the work is seen by the next turn only.
  await wait(2 * RESOLUTION_MS);
  delay.disable();
  clearInterval(timer);
  const turns = samples.slice(1).map((sample, before) => sample - (samples[before] ?? sample));
  return {
    ms: performance.now() - startedAt,
    stallMs: delay.max / NS_PER_MS - RESOLUTION_MS,
    turnMs: Math.max(...turns),
    cpuMs: threadMs() - (samples[0] ?? 0),
  };
};
