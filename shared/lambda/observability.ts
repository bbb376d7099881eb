import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';

/** JSON lines; the service is the function's folder, from `POWERTOOLS_SERVICE_NAME`. */
export const logger = new Logger();

/** Outermost in every composition: request id on each line, keys of one invocation gone before the next. */
export const invocationLog = () => injectLambdaContext(logger, { resetKeys: true });
