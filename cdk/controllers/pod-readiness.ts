import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { podReadiness } from '../../lambdas/pod-readiness/controller.ts';
import { PodReadinessEnv } from '../../lambdas/pod-readiness/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/**
 * A node may have hundreds of pods, each of which is one write. After ten seconds a run queues the rest as a new
 * message.
 */
const TIMEOUT = Duration.seconds(30);

/** Marks the pods of unready nodes as not ready, and those of nodes that shut down as ending. */
export class PodReadiness extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    this.queue = new WorkQueue(this, 'Work', {
      name: podReadiness.queue.name,
      functionTimeout: TIMEOUT,
    });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: podReadiness.name,
      env: PodReadinessEnv,
      environment: { ...tables.environment, POD_READINESS_QUEUE_URL: this.queue.url },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'podsByNode', 'writeObject');
    this.queue.letSend(fn);

    const enabled = configuration.controllers === 'all';
    this.queue.deliverTo(fn, { batchSize: 5, maxConcurrency: 10, enabled });

    monitoring.addController(fn, this.queue);
  }
}
