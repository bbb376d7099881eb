import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { garbageCollector } from '../../lambdas/garbage-collector/controller.ts';
import { GarbageCollectorEnv } from '../../lambdas/garbage-collector/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** After ten seconds a run queues the rest as a new message. The page that it works on may take further time. */
const TIMEOUT = Duration.seconds(60);

/** Deletes the dependents of owners that are gone. A rule sweeps every hour for what a lost message left. */
export class GarbageCollector extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', {
      name: garbageCollector.queue.name,
      functionTimeout: TIMEOUT,
    });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: garbageCollector.name,
      env: GarbageCollectorEnv,
      environment: { ...tables.environment, GARBAGE_QUEUE_URL: this.queue.url },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(
      fn.function,
      'listObjects',
      'readOwnerEdges',
      'completeOwnerEdges',
      'writeNode',
      'keepClaims',
    );
    this.queue.letSend(fn);

    this.queue.deliverTo(fn, { batchSize: 10, maxConcurrency: 10, enabled });
    runOnSchedule(this, 'EveryHour', fn, {
      ...garbageCollector.schedules['garbage-sweep'],
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    this.#sweepAtFirst(enabled);

    monitoring.addController(fn, this.queue);
  }

  /** Until the first sweep has ended no controller of workloads does anything: it must not wait for the first hour. */
  #sweepAtFirst(enabled: boolean): void {
    const rule = new Rule(this, 'AtFirst', { schedule: Schedule.rate(Duration.minutes(1)), enabled });
    const message = { v: 1, kind: 'sweep', isFirst: true };
    rule.addTarget(new SqsQueue(this.queue.queue, { message: RuleTargetInput.fromObject(message) }));
  }
}
