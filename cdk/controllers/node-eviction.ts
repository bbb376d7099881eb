import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { nodeEviction } from '../../lambdas/node-eviction/controller.ts';
import { NodeEvictionEnv } from '../../lambdas/node-eviction/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** A run waits up to four seconds for the instant of the zone's next token, and then writes one node. */
const TIMEOUT = Duration.seconds(20);

/** Adds the NoExecute taint to one node at a time, at the eviction rate of its zone. */
export class NodeEviction extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    this.queue = new WorkQueue(this, 'Wakeups', {
      name: nodeEviction.queue.name,
      functionTimeout: TIMEOUT,
    });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: nodeEviction.name,
      env: NodeEvictionEnv,
      environment: { ...tables.environment, EVICTION_WAKEUPS_QUEUE_URL: this.queue.url },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'readZones', 'readPass', 'paceZone', 'writeObject');
    this.queue.letSend(fn);

    // The zones of a batch wait concurrently, so few environments serve many zones.
    const enabled = configuration.controllers === 'all';
    this.queue.deliverTo(fn, { batchSize: 10, maxConcurrency: 10, enabled });

    monitoring.addController(fn, this.queue);
    monitoring.addAgeAlarm(this.queue);
  }
}
