import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { volumeBinder } from '../../lambdas/volume-binder/controller.ts';
import { VolumeBinderEnv } from '../../lambdas/volume-binder/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** A run ends its last part after some ten seconds. A new environment reads all claims and volumes first. */
const TIMEOUT = Duration.seconds(90);
/** Megabytes: 20,000 claims and volumes of a few kilobytes each. */
const MEMORY_SIZE = 512;

/** Binds PersistentVolumeClaims and PersistentVolumes. A rule lets all of them be looked at again, in case a change was lost. */
export class VolumeBinder extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: volumeBinder.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: volumeBinder.name,
      env: VolumeBinderEnv,
      environment: { ...tables.environment, VOLUME_BINDER_QUEUE_URL: this.queue.url },
      timeout: TIMEOUT,
      memorySize: MEMORY_SIZE,
      configuration,
    });

    tables.grant(fn.function, 'listObjects', 'followLog', 'writeObject', 'takeTurns');
    this.queue.letSend(fn);

    // Two is the least that SQS allows. The second one finds that the first has the turn.
    this.queue.deliverTo(fn, { batchSize: 10, maxConcurrency: 2, enabled });
    runOnSchedule(this, 'EachHour', fn, {
      ...volumeBinder.schedules['volume-binder-sweep'],
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
  }
}
