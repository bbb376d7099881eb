/** Metrics in the Prometheus text format. */
import { type MetricLabels, metricLabels, metricLine } from '../../../shared/kube/text/metric-line.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';

export interface MetricSample {
  readonly labels?: MetricLabels;
  /** Samples without a value are left out. */
  readonly value: number | undefined;
  /** When it was measured; absent: just now. */
  readonly at?: EpochMs | undefined;
}

/** A metric with all of its values. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

const linesOf = ({ name, type, help, samples }: MetricFamily): readonly string[] => {
  const lines = samples.flatMap(({ labels = {}, value, at }) =>
    value === undefined ? [] : [metricLine(name, metricLabels(labels), value, at)],
  );
  return lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
};

/** The text of `/metrics`. A family without values is left out. */
export const metricsText = (families: readonly MetricFamily[]): string =>
  `${families.flatMap(linesOf).join('\n')}\n`;
