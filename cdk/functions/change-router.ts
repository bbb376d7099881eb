import { Duration, Fn, Stack } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ChangeRouterEnv } from '../../lambdas/change-router/env.ts';
import { RESYNC_SCHEDULE } from '../../lambdas/change-router/schedule.ts';
import { ROUTED_QUEUES, type RoutedQueue } from '../../lambdas/controllers.ts';
import { queueEnvironment } from '../../shared/settings/aws/env.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { deadLetterQueue, type WorkQueue } from '../constructs/work-queue.ts';
import { type EventSender, eventFilterEnvironment } from './event-sender.ts';

export interface ChangeRouterProps extends ControlPlaneProps {
  readonly queues: Readonly<Record<RoutedQueue, WorkQueue>>;
  readonly events: EventBus;
  readonly eventSender: EventSender | undefined;
}

const FOLDER = 'change-router';
const TIMEOUT = Duration.seconds(60);
const BATCH_SIZE = 100;
const BEHIND = Duration.minutes(1);
/** A cold start, or a table that is slow for a moment, needs no operator. */
const LASTING = { bad: 3, of: 5 };

/** Turns committed changes into queue messages and lifecycle events. An hourly rule queues everything again. */
export class ChangeRouter extends Construct {
  constructor(scope: Construct, id: string, props: ChangeRouterProps) {
    super(scope, id);
    const { configuration, tables, queues, events, eventSender, monitoring } = props;
    const enabled = configuration.controllers === 'all';
    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: FOLDER,
      env: ChangeRouterEnv,
      environment: {
        ...tables.environment,
        ...queueEnvironment(queues, ({ url }) => url),
        EVENT_BUS_NAME: events.eventBusName,
        // The last part of its ARN: variables have 4 KB in all.
        STACK_ID: Fn.select(2, Fn.split('/', Stack.of(this).stackId)),
        ...eventFilterEnvironment(eventSender),
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'bumpWorkRevision', 'nodeHealth', 'sightings', 'writeObject');
    tables.grantStream(fn.function);
    acknowledge(
      fn,
      'AwsSolutions-IAM5[Resource::*]',
      'ListStreams does not support resource-level permissions',
    );
    for (const name of ROUTED_QUEUES) queues[name].letSend(fn);
    events.grantPutEventsTo(fn.function);
    eventSender?.letStore(fn);

    // It retries as long as the stream keeps the records, so that no change is lost while a queue or the bus is down.
    fn.function.addEventSourceMapping('Changes', {
      eventSourceArn: tables.streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_SIZE,
      enabled,
    });
    const deadLetters = deadLetterQueue(this, FOLDER);
    acknowledge(
      deadLetters,
      'AwsSolutions-SQS3',
      'It is a dead-letter queue, of a function in place of a queue',
    );
    runOnSchedule(this, 'EveryHour', fn, { ...RESYNC_SCHEDULE, enabled, deadLetters });

    monitoring.addErrorAlarm(fn);
    monitoring.addDeadLetterAlarm({ name: FOLDER, deadLetters });
    const age = fn.function.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) });
    monitoring.addAlarm('change-router-behind', {
      metric: age,
      threshold: BEHIND.toMilliseconds(),
      periods: LASTING,
      description: 'Committed changes have waited for a minute or more to be routed.',
    });
    monitoring.addRow(fn, [age]);
  }
}
