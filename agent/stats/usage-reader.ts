/** What the machine and its pods use, measured when somebody asks. */

import type { Clock } from '../ports/machine/clock.ts';
import type { PodToMeasure, StatsSource } from '../ports/machine/stats-source.ts';
import {
  type CpuSamples,
  cpuSamples,
  earliestSamples,
  lacksRates,
  type MachineUsage,
  withCpuRates,
} from '../rules/stats/cpu-rates.ts';
import type { SteadyMs } from '../rules/stats/summary.ts';

export interface UsageDeps {
  readonly clock: Pick<Clock, 'uptime' | 'sleep'>;
  readonly stats: StatsSource;
  readonly measurable: () => readonly PodToMeasure[];
}

export interface UsageReader {
  /** Those who ask within a second share one measurement. Rejects if not even the machine's memory can be read. */
  read(): Promise<MachineUsage>;
}

/** For how long a measurement is new. */
const SHARED_MS = 1000;
/** The pause before the second measurement, for what there is no earlier one of. */
const PAUSE_MS = 500;
/** An average over a longer time says nothing about this moment. */
const MOST_WINDOW_MS = 60_000;

/** Nothing is measured while nobody asks: after a pause, and for containers that are new, it measures twice. */
export const createUsageReader = ({ clock, stats, measurable }: UsageDeps): UsageReader => {
  let before: CpuSamples = new Map();
  let last: { readonly at: SteadyMs; readonly usage: Promise<MachineUsage> } | undefined;

  const measure = async (): Promise<MachineUsage> => {
    const node = await stats.node();
    return { node, pods: await stats.pods(measurable(), 'all') };
  };

  const measureRates = async (): Promise<MachineUsage> => {
    const usage = await measure();
    const samples = cpuSamples(usage);
    const base = earliestSamples(before, samples, clock.uptime() - MOST_WINDOW_MS);
    const rated = withCpuRates(usage, base);
    before = samples;
    if (!lacksRates(rated)) return rated;
    await clock.sleep(PAUSE_MS);
    const again = await measure();
    before = cpuSamples(again);
    return withCpuRates(again, base);
  };

  /** What takes longer than a second is shared, too, and a failure by nobody who asks later. */
  const begin = (): Promise<MachineUsage> => {
    const mine = { at: Infinity, usage: measureRates() };
    last = mine;
    mine.usage.then(
      () => {
        mine.at = clock.uptime();
      },
      () => {
        if (last === mine) last = undefined;
      },
    );
    return mine.usage;
  };

  return {
    read: () => (last && clock.uptime() - last.at < SHARED_MS ? last.usage : begin()),
  };
};
