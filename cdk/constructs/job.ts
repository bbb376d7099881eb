import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { job } from '../../lambdas/job/controller.ts';
import { JobEnv } from '../../lambdas/job/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { runOnSchedule } from './run-on-schedule.ts';
import { WorkQueue } from './work-queue.ts';

/** One look creates up to 500 pods and lets go of 500, eight at a time, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Makes and counts the pods of Jobs. A rule queues all of them every hour. */
export class Job extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: job.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: job.name,
      env: JobEnv,
      environment: {
        ...tables.environment,
        JOB_QUEUE_URL: this.queue.url,
        DEFAULT_TOLERATION_SECONDS: String(configuration.defaultTolerationSeconds),
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'readObject', 'listObjects', 'writeObject', 'keepClaims');
    tables.grant(fn.function, 'readOwnerEdges', 'takeTurns', 'writeChildren');
    this.queue.queue.grantSendMessages(fn.function);

    fn.function.addEventSource(this.queue.source({ batchSize: 5, maxConcurrency: 10, enabled }));
    runOnSchedule(this, 'EveryHour', fn, { ...job.schedules['job-resync'], enabled });

    monitoring.addController(fn, this.queue);
  }
}
