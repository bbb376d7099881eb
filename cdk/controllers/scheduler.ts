import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { scheduler } from '../../lambdas/scheduler/controller.ts';
import { SchedulerEnv } from '../../lambdas/scheduler/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** A run ends its last part after some ten seconds. A new environment reads the whole cluster first. */
const TIMEOUT = Duration.seconds(90);
/** Megabytes. A picture of 5,000 nodes and 100,000 pods, and more than half a vCPU to judge 5,000 nodes with. */
const MEMORY_SIZE = 1024;

/** Binds pods to nodes. A rule lets all waiting pods be tried again, in case a change was lost. */
export class Scheduler extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: scheduler.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: scheduler.name,
      env: SchedulerEnv,
      environment: {
        ...tables.environment,
        SCHEDULER_QUEUE_URL: this.queue.url,
        SCHEDULER_NAME: configuration.schedulerName,
      },
      timeout: TIMEOUT,
      memorySize: MEMORY_SIZE,
      configuration,
    });

    tables.grant(
      fn.function,
      'listObjects',
      'followLog',
      'podsByNode',
      'unboundPods',
      'writeObject',
      'keepClaims',
      'takeTurns',
    );
    this.queue.letSend(fn);

    // Two is the least that SQS allows. The second one finds that the first has the turn.
    this.queue.deliverTo(fn, { batchSize: 10, maxConcurrency: 2, enabled });
    runOnSchedule(this, 'EveryFiveMinutes', fn, {
      ...scheduler.schedules.flush,
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
    monitoring.addAgeAlarm(this.queue);
  }
}
