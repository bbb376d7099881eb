import middy from '@middy/core';
import { invocationMetrics } from './metrics.ts';
import { invocationLog, logger } from './observability.ts';

/** The event of an EventBridge rule. */
export interface ScheduleEvent {
  readonly source: 'aws.events';
}

const logFailure = ({ error }: { readonly error: unknown }): void => {
  logger.error('the scheduled run failed', { error });
};

/**
 * A handler for a rule. It logs and rethrows errors, so that Lambda counts them. The next run does what a failed one left undone.
 */
export const composeSchedule = (run: () => Promise<unknown>) =>
  middy<ScheduleEvent, unknown>()
    .use(invocationLog())
    .use(invocationMetrics())
    .onError(logFailure)
    .handler(() => run());
