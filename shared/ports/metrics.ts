/** What a controller tells of its work: metrics, and lines for a log. Each target has a sink of its own for both. */

export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** As in Kubernetes, https://kubernetes.io/docs/reference/instrumentation/metrics/; the prefix of `name` in Prometheus. */
  readonly subsystem: string;
  readonly name: string;
  readonly help: string;
}

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** A histogram observes seconds. */
  readonly value: number;
  readonly labels?: Labels;
}

/** Samples of one metric. Those of a gauge replace all earlier ones, so that a zone that is gone has none any more. */
export interface Measurement {
  readonly metric: Metric;
  readonly samples: readonly Sample[];
}

/** Whoever reads only errors gets only what somebody has to look at. */
export interface LogLine {
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Both ways in which a report is told. Pure. */
export interface Telemetry<Report> {
  readonly metricsOf: (report: Report) => readonly Measurement[];
  readonly linesOf: (report: Report) => readonly LogLine[];
}

/** The three kinds of metrics of one subsystem. */
export const subsystem = (name: string) => {
  const ofKind =
    (kind: Metric['kind']) =>
    (own: string, help: string): Metric => ({ kind, subsystem: name, name: own, help });
  return { counter: ofKind('counter'), gauge: ofKind('gauge'), histogram: ofKind('histogram') };
};

/** A measurement of one value without labels. */
export const measured = (metric: Metric, value: number): Measurement => ({ metric, samples: [{ value }] });
