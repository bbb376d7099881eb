import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { daemonSet } from '../../lambdas/daemon-set/controller.ts';
import { DaemonSetEnv } from '../../lambdas/daemon-set/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { runOnSchedule } from './run-on-schedule.ts';
import { WorkQueue } from './work-queue.ts';

/** One look creates and deletes up to 250 pods, eight at a time, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Creates and deletes the pods of DaemonSets. A rule queues all of them every hour. */
export class DaemonSet extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: daemonSet.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: daemonSet.name,
      env: DaemonSetEnv,
      environment: {
        ...tables.environment,
        DAEMON_SET_QUEUE_URL: this.queue.url,
        DEFAULT_TOLERATION_SECONDS: String(configuration.defaultTolerationSeconds),
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'readObject', 'listObjects', 'followLog', 'writeObject', 'keepClaims');
    tables.grant(fn.function, 'readOwnerEdges', 'takeTurns', 'writeChildren');
    this.queue.queue.grantSendMessages(fn.function);

    fn.function.addEventSource(this.queue.source({ batchSize: 5, maxConcurrency: 10, enabled }));
    runOnSchedule(this, 'EveryHour', fn, { ...daemonSet.schedules['daemon-set-resync'], enabled });

    monitoring.addController(fn, this.queue);
  }
}
