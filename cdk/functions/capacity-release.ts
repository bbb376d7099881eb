import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { capacityRelease } from '../../lambdas/capacity-release/controller.ts';
import { CapacityReleaseEnv } from '../../lambdas/capacity-release/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';
import type { Apiserver } from './apiserver.ts';

export interface CapacityReleaseProps extends ControlPlaneProps {
  readonly apiserver: Apiserver;
  readonly scheduler: WorkQueue;
}

/** A turn of the sweep begins no part after 20 seconds. A part may wait ten seconds for a second look, and four for a busy node. */
const TIMEOUT = Duration.seconds(60);

/** Gives back the room of pods that have ended or are gone. A rule goes on with the sweep over all nodes every minute. */
export class CapacityRelease extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, props: CapacityReleaseProps) {
    super(scope, id);
    const { configuration, tables, monitoring, apiserver, scheduler } = props;
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', {
      name: capacityRelease.queue.name,
      functionTimeout: TIMEOUT,
    });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: capacityRelease.name,
      env: CapacityReleaseEnv,
      environment: { ...tables.environment, SCHEDULER_QUEUE_URL: scheduler.url },
      timeout: TIMEOUT,
      configuration,
    });
    // The first sweep must not end before every API keeps claims, or a pod that an old one binds meanwhile would not be counted.
    fn.node.addDependency(apiserver);

    tables.grant(fn.function, 'readObject', 'listObjects', 'podsByNode', 'nodeHealth');
    tables.grant(fn.function, 'releaseClaims', 'sweepCapacity');
    scheduler.letSend(fn);

    this.queue.deliverTo(fn, { batchSize: 10, maxConcurrency: 5, enabled });
    const { everyMinutes } = capacityRelease.schedules['capacity-sweep'];
    runOnSchedule(this, 'EveryMinute', fn, { everyMinutes, enabled, deadLetters: this.queue.deadLetters });

    monitoring.addController(fn, this.queue);
  }
}
