import middy from '@middy/core';
import type { QueueMessage } from './compose-sqs.ts';
import { invocationMetrics } from './metrics.ts';
import { invocationLog, logger } from './observability.ts';

/** The event of an EventBridge rule: what the stack wrote, or EventBridge's own. */
export interface ScheduleEvent {
  /** The schedule that is due. */
  readonly schedule?: string;
  /** A message to handle, as if it came by a queue. */
  readonly message?: QueueMessage;
}

const logFailure = ({ error }: { readonly error: unknown }): void => {
  logger.error('the scheduled run failed', { error });
};

/**
 * A handler for a rule. It logs and rethrows errors, so that Lambda counts them. The next run does what a failed one left undone.
 */
export const composeSchedule = (run: (event: ScheduleEvent) => Promise<unknown>) =>
  middy<ScheduleEvent, unknown>()
    .use(invocationLog())
    .use(invocationMetrics())
    .onError(logFailure)
    .handler((event) => run(event));
