import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { PodReadinessEnv } from '../../lambdas/pod-readiness/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { WorkQueue } from './work-queue.ts';

/**
 * A node may have hundreds of pods, each of which is one write. After ten seconds a run queues the rest as a new
 * message.
 */
const TIMEOUT = Duration.seconds(30);

/** Marks the pods of unready nodes as not ready. */
export class PodReadiness extends Construct {
  readonly work: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    this.work = new WorkQueue(this, 'Work', { name: 'pod-readiness', functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: 'pod-readiness',
      env: PodReadinessEnv,
      environment: { ...tables.environment, POD_READINESS_QUEUE_URL: this.work.url },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'podsByNode', 'writeObject');
    this.work.queue.grantSendMessages(fn.function);

    const enabled = configuration.controllers === 'all';
    fn.function.addEventSource(this.work.source({ batchSize: 5, maxConcurrency: 10, enabled }));

    monitoring.addErrorAlarm(fn);
    this.work.addDeadLetterAlarm(monitoring, 'pod-readiness-dead-letters');
    monitoring.addRow(fn, this.work.metrics);
  }
}
