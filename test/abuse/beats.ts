import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Beaten, BeatPlan } from './beat-worker.ts';

export interface BeatFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly failures: readonly string[];
}

export interface Beats {
  /** What was answered since the last call. */
  take(): Promise<BeatFigures>;
  stop(): Promise<void>;
}

const figuresOf = ({ latencies, failures }: Beaten): BeatFigures => {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), failures };
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
