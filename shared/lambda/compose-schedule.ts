import middy from '@middy/core';
import { invocationFigures } from './figures.ts';
import { invocationLog, logger } from './observability.ts';

/** What EventBridge hands over when a rule fires. */
export interface ScheduleEvent {
  readonly source: 'aws.events';
}

const logFailure = ({ error }: { readonly error: unknown }): void => {
  logger.error('the scheduled run failed', { error });
};

/** A handler for a rule. An error passes, so that Lambda counts it: the next run finds what this one left undone. */
export const composeSchedule = (run: () => Promise<unknown>) =>
  middy<ScheduleEvent, unknown>()
    .use(invocationLog())
    .use(invocationFigures())
    .onError(logFailure)
    .handler(() => run());
