/** Lines of the Prometheus text format 0.0.4. */
import type { EpochMs } from '../values/time.ts';

/** The labels of a series, by name. */
export type MetricLabels = Readonly<Record<string, string>>;

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** The text of labels, such as `queue="ticks"`. */
export const metricLabels = (labels: MetricLabels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');

const textOf = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));

/** The value of one series; `labels` is their text. `at`: when it was measured, if not just now. */
export const metricLine = (name: string, labels: string, value: number, at?: EpochMs): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${textOf(value)}${at === undefined ? '' : ` ${at}`}`;
