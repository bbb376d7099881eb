/** Metrics as lines of the log (CloudWatch's embedded metric format), in the namespace of `POWERTOOLS_METRICS_NAMESPACE`. Those of zones only if `ZONE_METRICS` is `on`. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Labels, Measurement, Metric } from '../../shared/ports/process/metrics.ts';
import { isOn } from './parse-env.ts';

/** Collects the metrics without labels of an invocation. */
const invocation = new Metrics();
/** Publishes each set of labels in a log line of its own, because a line has only one set. */
const labelled = new Metrics();

/** The gauges, by name and labels, that this process has last emitted with another value than 0. */
const raised = new Set<string>();

/**
 * Whether a value is worth its money. A counter of 0 says nothing. A gauge of 0 is emitted once, so that an alarm ends at once: missing data ends it,
 * too, where another process has emitted the last value.
 */
const isWorthIt = ({ kind, name, isSignOfLife }: Metric, value: number, labels?: Labels): boolean => {
  if (kind === 'histogram' || isSignOfLife) return true;
  if (kind === 'counter') return value !== 0;
  const series = JSON.stringify([name, labels]);
  const wasRaised = raised.delete(series);
  if (value !== 0) raised.add(series);
  return value !== 0 || wasRaised;
};

const add = (to: Metrics, metric: Metric, value: number, labels?: Labels): void => {
  if (!isWorthIt(metric, value, labels)) return;
  const unit = metric.kind === 'histogram' ? MetricUnit.Seconds : MetricUnit.Count;
  to.addMetric(metric.name, unit, value);
};

/** CloudWatch bills each metric of each zone, and no alarm asks for one. */
const isWanted = ({ zone }: Labels): boolean => zone === undefined || isOn('ZONE_METRICS');

type Labelled = Map<string, { readonly labels: Labels; readonly values: (readonly [Metric, number])[] }>;

const byLabels = (measurements: readonly Measurement[]): Labelled => {
  const groups: Labelled = new Map();
  for (const { metric, samples } of measurements)
    for (const { labels, value } of samples) {
      if (!labels || !isWanted(labels)) continue;
      const key = JSON.stringify(labels);
      const group = groups.get(key) ?? { labels, values: [] };
      group.values.push([metric, value]);
      groups.set(key, group);
    }
  return groups;
};

const emitLabelled = (measurements: readonly Measurement[]): void => {
  for (const { labels, values } of byLabels(measurements).values()) {
    for (const [metric, value] of values) add(labelled, metric, value, labels);
    for (const [name, value] of Object.entries(labels)) labelled.addDimension(name, value);
    if (labelled.hasStoredMetrics()) labelled.publishStoredMetrics();
    labelled.clearDimensions();
  }
};

/**
 * Emits measurements with the function's name as their dimension and labels as further dimensions. A counter with labels is also
 * emitted without them, as the sum of all labels, also if those of its zones are not.
 */
export const emit = (measurements: readonly Measurement[]): void => {
  for (const { metric, samples } of measurements)
    for (const { labels, value } of samples)
      if (!labels || metric.kind === 'counter') add(invocation, metric, value);
  emitLabelled(measurements);
};

const publish = (): void => {
  // Powertools writes a warning if it publishes nothing.
  if (invocation.hasStoredMetrics()) invocation.publishStoredMetrics();
};

/** Middleware that writes the metrics of an invocation in one line, even if it failed. */
export const invocationMetrics = () => ({ after: publish, onError: publish });
