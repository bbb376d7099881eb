import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { TaintEvictionEnv } from '../../lambdas/taint-eviction/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { WorkQueue } from './work-queue.ts';

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
  readonly work: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.work = new WorkQueue(this, 'Work', { name: 'taint-eviction', functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: 'taint-eviction',
      env: TaintEvictionEnv,
      environment: { ...tables.environment, TAINT_EVICTION_QUEUE_URL: this.work.url },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'nodeHealth', 'podsByNode', 'deadlines', 'writeObject');
    this.work.queue.grantSendMessages(fn.function);

    fn.function.addEventSource(this.work.source({ batchSize: 5, maxConcurrency: 10, enabled }));
    const sweep = new Rule(this, 'EveryMinute', { schedule: Schedule.rate(Duration.minutes(1)), enabled });
    sweep.addTarget(new LambdaFunction(fn.function));

    monitoring.addErrorAlarm(fn);
    this.work.addDeadLetterAlarm(monitoring, 'taint-eviction-dead-letters');
    monitoring.addRow(fn, this.work.metrics);
  }
}
