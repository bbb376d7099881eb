import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Metrics as log lines, in the namespace of `POWERTOOLS_METRICS_NAMESPACE`. */
export const metrics = new Metrics();

/** Counts by name; what did not happen costs nothing. */
export const count = (figures: Readonly<Record<string, number>>): void => {
  for (const [name, value] of Object.entries(figures)) {
    if (value > 0) metrics.addMetric(name, MetricUnit.Count, value);
  }
};

/** Levels by name; a 0 is told, too, so that an alarm ends. */
export const gauge = (levels: Readonly<Record<string, number>>): void => {
  for (const [name, value] of Object.entries(levels)) metrics.addMetric(name, MetricUnit.Count, value);
};

/** A duration in seconds. */
export const timed = (name: string, seconds: number): void => {
  metrics.addMetric(name, MetricUnit.Seconds, seconds);
};

const publish = (): void => {
  // Without the question Powertools would write a warning for each invocation that counted nothing.
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
};

/** Writes the figures of an invocation in one line, also when it failed. */
export const invocationFigures = () => ({ after: publish, onError: publish });
