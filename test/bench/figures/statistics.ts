import type { Figure } from './figures.ts';

/** The value below which the share `q` (0–1) of the samples lies, by nearest rank. */
export const quantile = (samples: readonly number[], q: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
  if (value === undefined) throw new Error('no samples');
  return value;
};

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** Fewer samples than this say nothing about the last percent. */
const LEAST_FOR_P99 = 100;

/** Median, minimum and, of many samples, the 99th percentile. */
export const spread = (samples: readonly number[]): Pick<Figure, 'value' | 'min' | 'p99' | 'samples'> => ({
  value: median(samples),
  // Not by spreading them into arguments: a minute of beats is more than a call takes.
  min: samples.reduce((least, sample) => Math.min(least, sample), Number.POSITIVE_INFINITY),
  ...(samples.length >= LEAST_FOR_P99 ? { p99: quantile(samples, 0.99) } : {}),
  samples: samples.length,
});

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
