import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Metrics, written as log lines (EMF) in the namespace `POWERTOOLS_METRICS_NAMESPACE`. */
export const metrics = new Metrics();

/** Adds counts by metric name. A zero is omitted, because each metric costs money. */
export const count = (figures: Readonly<Record<string, number>>): void => {
  for (const [name, value] of Object.entries(figures)) {
    if (value > 0) metrics.addMetric(name, MetricUnit.Count, value);
  }
};

/** Sets gauges by metric name. A zero is written, too, so that an alarm can end. */
export const gauge = (levels: Readonly<Record<string, number>>): void => {
  for (const [name, value] of Object.entries(levels)) metrics.addMetric(name, MetricUnit.Count, value);
};

/** Adds a duration in seconds. */
export const timed = (name: string, seconds: number): void => {
  metrics.addMetric(name, MetricUnit.Seconds, seconds);
};

const publish = (): void => {
  // Powertools logs a warning when it publishes nothing, so ask first.
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
};

/** Middleware that writes the metrics of an invocation in one line, even if it failed. */
export const invocationMetrics = () => ({ after: publish, onError: publish });
