import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics } from '@aws-lambda-powertools/metrics';
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
