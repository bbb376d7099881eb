import { Duration } from 'aws-cdk-lib';
import { type EventBus, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ChangeRouterEnv } from '../../lambdas/change-router/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ChangeRouterProps extends ControlPlaneProps {
  readonly podReadiness: WorkQueue;
  readonly taintEviction: WorkQueue;
  readonly events: EventBus;
}

const TIMEOUT = Duration.seconds(60);
const BATCH_SIZE = 100;
const BEHIND = Duration.hours(1);

/** Turns committed changes into queue messages and lifecycle events. An hourly rule queues everything again. */
export class ChangeRouter extends Construct {
  constructor(scope: Construct, id: string, props: ChangeRouterProps) {
    super(scope, id);
    const { configuration, tables, podReadiness, taintEviction, events, monitoring } = props;
    const enabled = configuration.controllers === 'all';
    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: 'change-router',
      env: ChangeRouterEnv,
      environment: {
        ...tables.environment,
        POD_READINESS_QUEUE_URL: podReadiness.url,
        TAINT_EVICTION_QUEUE_URL: taintEviction.url,
        EVENT_BUS_NAME: events.eventBusName,
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'bumpWorkRevision', 'nodeHealth', 'writeObject');
    tables.grantStream(fn.function);
    podReadiness.queue.grantSendMessages(fn.function);
    taintEviction.queue.grantSendMessages(fn.function);
    events.grantPutEventsTo(fn.function);

    // Retry for as long as the stream keeps its records: an outage of a queue or the bus must not lose a change.
    fn.function.addEventSourceMapping('Changes', {
      eventSourceArn: tables.streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_SIZE,
      enabled,
    });
    const hourly = new Rule(this, 'EveryHour', { schedule: Schedule.rate(Duration.hours(1)), enabled });
    hourly.addTarget(new LambdaFunction(fn.function));

    monitoring.addErrorAlarm(fn);
    const age = fn.function.metric('IteratorAge', { statistic: 'Maximum' });
    monitoring.addAlarm('change-router-behind', {
      metric: age,
      threshold: BEHIND.toMilliseconds(),
      description: 'Committed changes have waited for an hour or more to be routed.',
    });
    monitoring.addRow(fn, [age]);
  }
}
