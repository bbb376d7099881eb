import { Duration, Fn, Stack } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ChangeRouterEnv } from '../../lambdas/change-router/env.ts';
import { RESYNC_SCHEDULE } from '../../lambdas/change-router/schedule.ts';
import { ROUTED_QUEUES } from '../../lambdas/controllers.ts';
import { functionCode } from '../bundling/function-code.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedules } from '../constructs/run-on-schedule.ts';
import type { WorkQueue } from '../constructs/work-queue.ts';
import { workQueueEnvironment } from '../constructs/work-queue-environment.ts';
import { type EventSender, eventFilterEnvironment } from './event-sender.ts';

export interface ChangeRouterProps extends ControlPlaneProps {
  /** Of the groups of controllers that run. */
  readonly queues: readonly WorkQueue[];
  readonly events: EventBus;
  readonly eventSender: EventSender | undefined;
}

const FOLDER = 'change-router';
const TIMEOUT = Duration.seconds(60);
const BATCH_SIZE = 100;
const BEHIND = Duration.minutes(1);
/** A cold start, or a table that is slow for a moment, needs no operator. */
const LASTING = { bad: 3, of: 5 };

const isRouted = ({ serves }: WorkQueue): boolean => ROUTED_QUEUES.some((queue) => serves.includes(queue));

/** Turns committed changes into queue messages and lifecycle events. An hourly rule queues everything again. */
export class ChangeRouter extends Construct {
  readonly functionName: string;

  constructor(scope: Construct, id: string, props: ChangeRouterProps) {
    super(scope, id);
    const { configuration, tables, queues, events, eventSender, monitoring, deadLetters } = props;
    const routed = queues.filter(isRouted);
    const sendable = [...routed, ...(eventSender ? [eventSender.queue] : [])];
    const fn = new ControlPlaneFunction(this, 'Function', {
      name: FOLDER,
      code: functionCode(FOLDER),
      env: ChangeRouterEnv,
      environment: {
        ...tables.environment,
        ...workQueueEnvironment(this, queues, sendable),
        EVENT_BUS_NAME: events.eventBusName,
        // The last part of its ARN: variables have 4 KB in all.
        STACK_ID: Fn.select(2, Fn.split('/', Stack.of(this).stackId)),
        ...eventFilterEnvironment(eventSender),
      },
      timeout: TIMEOUT,
      configuration,
    });

    this.functionName = fn.function.functionName;
    tables.grant(fn.function, 'bumpWorkRevision', 'nodeHealth', 'sightings', 'writeObject');
    tables.grantStream(fn.function);
    acknowledge(
      fn,
      'AwsSolutions-IAM5[Resource::*]',
      'ListStreams does not support resource-level permissions',
    );
    for (const queue of routed) queue.letSend(fn);
    events.grantPutEventsTo(fn.function);
    eventSender?.letStore(fn);

    // It retries as long as the stream keeps the records, so that no change is lost while a queue or the bus is down.
    fn.function.addEventSourceMapping('Changes', {
      eventSourceArn: tables.streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_SIZE,
    });
    runOnSchedules(this, fn, deadLetters, { EveryHour: RESYNC_SCHEDULE });

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
