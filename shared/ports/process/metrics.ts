/** The metrics and log lines in which a controller reports its work. Lambda and the host each have a sink for both. */

/** The definition of one metric. */
export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** The prefix of `name` in Prometheus. Source: https://kubernetes.io/docs/reference/instrumentation/metrics/. */
  readonly subsystem: string;
  readonly name: string;
  readonly help: string;
  /** Names of its labels, in no order. Each sample has exactly these. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram; absent: those of the sink. */
  readonly buckets?: readonly number[];
  /** Of a gauge: its absence would say that its source is dead, so a 0 is told each time. Absent: a 0 that follows a 0 says nothing. */
  readonly isSignOfLife?: boolean;
}

/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>;

/** One value of a metric. */
export interface Sample {
  /** Seconds for a histogram; otherwise the number that `help` describes. */
  readonly value: number;
  readonly labels?: Labels;
}

/** Samples of one metric. The samples of a gauge replace all earlier ones, so that, for example, the series of a deleted zone ends. */
export interface Measurement {
  readonly metric: Metric;
  readonly samples: readonly Sample[];
}

/** A structured log line. Level `error` is only for what an operator has to look at. */
export interface LogLine {
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Turns a controller's report into metrics and log lines. Both functions are pure. */
export interface Telemetry<Report> {
  readonly metricsOf: (report: Report) => readonly Measurement[];
  readonly linesOf: (report: Report) => readonly LogLine[];
}

/** Returns the constructors for the metrics of one subsystem, one per kind. */
export const subsystem = (name: string) => {
  const ofKind =
    (kind: Metric['kind']) =>
    (own: string, help: string, labels: readonly string[] = []): Metric => ({
      kind,
      subsystem: name,
      name: own,
      help,
      labels,
    });
  const histogram = (
    own: string,
    help: string,
    labels: readonly string[] = [],
    buckets?: readonly number[],
  ): Metric => ({ ...ofKind('histogram')(own, help, labels), ...(buckets ? { buckets } : {}) });
  return { counter: ofKind('counter'), gauge: ofKind('gauge'), histogram };
};

/** A measurement of one value without labels. */
export const measured = (metric: Metric, value: number): Measurement => ({ metric, samples: [{ value }] });

/** A metric, and what one look adds to it. */
type SummedMetric<Look> = readonly [Metric, (look: Look) => number];

/** Telemetry of a report that lists looks: each metric is the sum over them. No log lines. */
export const summedTelemetry = <Look>(
  metrics: readonly SummedMetric<Look>[],
): Telemetry<readonly Look[]> => ({
  metricsOf: (looks) =>
    metrics.map(([metric, of]) =>
      measured(
        metric,
        looks.reduce((sum, look) => sum + of(look), 0),
      ),
    ),
  linesOf: () => [],
});
