import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { NodeEvictionEnv } from '../../lambdas/node-eviction/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { WorkQueue } from './work-queue.ts';

/**
 * The worker waits inside the function for the zone's next permitted instant, two seconds or more, and then writes one
 * node.
 */
const TIMEOUT = Duration.seconds(20);

/** Adds the NoExecute taint to one node at a time, at the eviction rate of its zone. */
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

    // The zones of a batch wait concurrently, so few environments serve many zones.
    const enabled = configuration.controllers === 'all';
    fn.function.addEventSource(this.wakeups.source({ batchSize: 10, maxConcurrency: 10, enabled }));

    monitoring.addErrorAlarm(fn);
    this.wakeups.addDeadLetterAlarm(monitoring, 'eviction-wakeups-dead-letters');
    monitoring.addRow(fn, this.wakeups.metrics);
  }
}
