import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { attachDetach } from '../../lambdas/attach-detach/controller.ts';
import { AttachDetachEnv } from '../../lambdas/attach-detach/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** A new environment reads all VolumeAttachments and volumes first. A run may wait ten seconds after another one has crashed. */
const TIMEOUT = Duration.seconds(90);
/** Megabytes: 20,000 attachments and volumes of a kilobyte each. */
const MEMORY_SIZE = 512;

/** Keeps VolumeAttachments. A rule sweeps each hour for what a lost message left. */
export class AttachDetach extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: attachDetach.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: attachDetach.name,
      env: AttachDetachEnv,
      environment: {
        ...tables.environment,
        ATTACH_DETACH_QUEUE_URL: this.queue.url,
        DISABLE_FORCE_DETACH_ON_TIMEOUT: configuration.disableForceDetachOnTimeout ? 'on' : 'off',
      },
      timeout: TIMEOUT,
      memorySize: MEMORY_SIZE,
      configuration,
    });

    tables.grant(fn.function, 'readObject', 'listObjects', 'followLog', 'readClaims', 'sightings');
    tables.grant(fn.function, 'takeTurns', 'writeObject', 'writeChildren');
    this.queue.letSend(fn);

    this.queue.deliverTo(fn, { batchSize: 10, maxConcurrency: 10, enabled });
    runOnSchedule(this, 'EachHour', fn, {
      ...attachDetach.schedules['attach-detach-sweep'],
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
  }
}
