import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { disruption } from '../../lambdas/disruption/controller.ts';
import { DisruptionEnv } from '../../lambdas/disruption/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** A run reads the pods of a namespace; a sweep those of every namespace that has a budget. */
const TIMEOUT = Duration.seconds(120);

/** Keeps the status of PodDisruptionBudgets. A rule sweeps for statuses whose message was lost. */
export class Disruption extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: disruption.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: disruption.name,
      env: DisruptionEnv,
      environment: { ...tables.environment, DISRUPTION_QUEUE_URL: this.queue.url },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'listObjects', 'writeObject');
    this.queue.letSend(fn);

    this.queue.deliverTo(fn, { batchSize: 1, maxConcurrency: 2, enabled });
    runOnSchedule(this, 'Sweep', fn, {
      ...disruption.schedules.budgetSweep,
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
  }
}
