import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Beaten, BeatPlan } from './beat-worker.ts';

export interface BeatFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The latest beat without the time for which the machine ran something else. */
  readonly ownMaxMs: number;
  readonly failures: readonly string[];
}

export interface Beats {
  /** What was answered since the last call. */
  take(): Promise<BeatFigures>;
  stop(): Promise<void>;
}

const figuresOf = ({ answers, failures }: Beaten): BeatFigures => {
  const sorted = answers.map(({ latencyMs }) => latencyMs).toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const ownMaxMs = answers.reduce(
    (most, { latencyMs, machineMs }) => Math.max(most, latencyMs - machineMs),
    0,
  );
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), ownMaxMs, failures };
};

export const startBeats = (plan: BeatPlan): Beats => {
  const worker = new Worker(new URL('./beat-worker.ts', import.meta.url), { workerData: plan });
  return {
    take: async () => {
      worker.postMessage('take');
      const [beaten] = (await once(worker, 'message')) as [Beaten];
      return figuresOf(beaten);
    },
    stop: async () => void (await worker.terminate()),
  };
};
