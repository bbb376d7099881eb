import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';

/** JSON lines; the service is the function's folder, from `POWERTOOLS_SERVICE_NAME`. */
export const logger = new Logger();

/** Metrics as log lines, from `POWERTOOLS_METRICS_NAMESPACE`; written once per invocation, only if it counted something. */
export const metrics = new Metrics();

/** Outermost in every composition: request id on each line, keys of one invocation gone before the next, metrics out. */
export const invocationLog = () => [
  injectLambdaContext(logger, { resetKeys: true }),
  logMetrics(metrics, { throwOnEmptyMetrics: false }),
];

/** Counts by name; what did not happen costs nothing. */
export const count = (figures: Readonly<Record<string, number>>): void => {
  for (const [name, value] of Object.entries(figures)) {
    if (value > 0) metrics.addMetric(name, MetricUnit.Count, value);
  }
};

/** A duration in seconds. */
export const timed = (name: string, seconds: number): void => {
  metrics.addMetric(name, MetricUnit.Seconds, seconds);
};
