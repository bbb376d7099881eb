import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Beaten, BeatPlan } from './beat-worker.ts';

export interface BeatFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The same without the time for which the machine ran something else. */
  readonly ownP99Ms: number;
  readonly ownMaxMs: number;
  readonly failures: readonly string[];
}

export interface Beats {
  /** What was answered since the last call. */
  take(): Promise<BeatFigures>;
  stop(): Promise<void>;
}

const atShare = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const inOrder = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

const figuresOf = ({ answers, failures }: Beaten): BeatFigures => {
  const all = inOrder(answers.map(({ latencyMs }) => latencyMs));
  const own = inOrder(answers.map(({ latencyMs, machineMs }) => Math.max(0, latencyMs - machineMs)));
  return {
    count: all.length,
    p50Ms: atShare(all, 0.5),
    p99Ms: atShare(all, 0.99),
    maxMs: atShare(all, 1),
    ownP99Ms: atShare(own, 0.99),
    ownMaxMs: atShare(own, 1),
    failures,
  };
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
