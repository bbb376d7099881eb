import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { replicaSet } from '../../lambdas/replica-set/controller.ts';
import { ReplicaSetEnv } from '../../lambdas/replica-set/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { runOnSchedule } from './run-on-schedule.ts';
import { WorkQueue } from './work-queue.ts';

/** One look creates up to 500 pods, eight at a time, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Creates and deletes the pods of ReplicaSets. A rule queues all of them every hour. */
export class ReplicaSet extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: replicaSet.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: replicaSet.name,
      env: ReplicaSetEnv,
      environment: {
        ...tables.environment,
        REPLICA_SET_QUEUE_URL: this.queue.url,
        DEFAULT_TOLERATION_SECONDS: String(configuration.defaultTolerationSeconds),
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'readObject', 'listObjects', 'writeObject', 'keepClaims');
    tables.grant(fn.function, 'readOwnerEdges', 'takeTurns', 'writeChildren');
    this.queue.queue.grantSendMessages(fn.function);

    fn.function.addEventSource(this.queue.source({ batchSize: 5, maxConcurrency: 10, enabled }));
    runOnSchedule(this, 'EveryHour', fn, { ...replicaSet.schedules['replica-set-resync'], enabled });

    monitoring.addController(fn, this.queue);
  }
}
