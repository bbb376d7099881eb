import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { statefulSet } from '../../lambdas/stateful-set/controller.ts';
import { StatefulSetEnv } from '../../lambdas/stateful-set/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { runOnSchedule } from './run-on-schedule.ts';
import { WorkQueue } from './work-queue.ts';

/** One look creates up to 500 pods with their claims, eight at a time, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Creates, replaces and deletes the pods of StatefulSets. A rule queues all of them every hour. */
export class StatefulSet extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: statefulSet.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: statefulSet.name,
      env: StatefulSetEnv,
      environment: {
        ...tables.environment,
        STATEFUL_SET_QUEUE_URL: this.queue.url,
        DEFAULT_TOLERATION_SECONDS: String(configuration.defaultTolerationSeconds),
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'readObject', 'listObjects', 'writeObject', 'keepClaims');
    tables.grant(fn.function, 'readOwnerEdges', 'takeTurns', 'writeChildren');
    this.queue.queue.grantSendMessages(fn.function);

    fn.function.addEventSource(this.queue.source({ batchSize: 5, maxConcurrency: 10, enabled }));
    runOnSchedule(this, 'EveryHour', fn, { ...statefulSet.schedules['stateful-set-resync'], enabled });

    monitoring.addController(fn, this.queue);
  }
}
