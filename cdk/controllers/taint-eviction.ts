import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { taintEviction } from '../../lambdas/taint-eviction/controller.ts';
import { TaintEvictionEnv } from '../../lambdas/taint-eviction/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/**
 * After ten seconds a run queues the rest as a new message. Waiting for a near deadline and writing the Events take
 * further time.
 */
const TIMEOUT = Duration.seconds(60);

/**
 * Deletes pods when their toleration of a NoExecute taint ends. A rule sweeps every minute for deadlines whose message
 * was lost.
 */
export class TaintEviction extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', {
      name: taintEviction.queue.name,
      functionTimeout: TIMEOUT,
    });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: taintEviction.name,
      env: TaintEvictionEnv,
      environment: { ...tables.environment, TAINT_EVICTION_QUEUE_URL: this.queue.url },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'nodeHealth', 'podsByNode', 'deadlines', 'writeObject');
    this.queue.letSend(fn);

    this.queue.deliverTo(fn, { batchSize: 5, maxConcurrency: 10, enabled });
    runOnSchedule(this, 'EveryMinute', fn, {
      ...taintEviction.schedules.sweep,
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
  }
}
