import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { NodeEvictionEnv } from '../../lambdas/node-eviction/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { WorkQueue } from './work-queue.ts';

/** The worker waits in the function for its exact instant, two seconds or more ahead, and then writes one node. */
const TIMEOUT = Duration.seconds(20);

/** Puts the NoExecute taint on one node at a time, at the pace of its zone. */
export class NodeEviction extends Construct {
  readonly wakeups: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    this.wakeups = new WorkQueue(this, 'Wakeups', { name: 'eviction-wakeups', functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: 'node-eviction',
      env: NodeEvictionEnv,
      environment: { ...tables.environment, EVICTION_WAKEUPS_QUEUE_URL: this.wakeups.url },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'readZones', 'readPass', 'paceZone', 'writeObject');
    this.wakeups.queue.grantSendMessages(fn.function);

    // Zones wait side by side within a batch: few environments pace many zones.
    const enabled = configuration.controllers === 'all';
    fn.function.addEventSource(this.wakeups.source({ batchSize: 10, maxConcurrency: 10, enabled }));

    monitoring.watchErrors(fn);
    this.wakeups.watch(monitoring, 'eviction-wakeups-dead-letters');
    monitoring.row(fn, this.wakeups.metrics);
  }
}
