import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';

/** Logs JSON lines. `POWERTOOLS_SERVICE_NAME`, the function's folder, is their `service`. */
export const logger = new Logger();

/** The outermost middleware: adds the request id to each line and clears the keys of the previous invocation. */
export const invocationLog = () => injectLambdaContext(logger, { resetKeys: true });
