import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { drain } from '../../lambdas/drain/controller.ts';
import { DrainEnv } from '../../lambdas/drain/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** After ten seconds a run plans its next look. The pods that it works on may take four seconds each, and retries longer. */
const TIMEOUT = Duration.seconds(60);

/** Empties nodes whose annotation asks for it. A rule sweeps each minute for looks whose message was lost. */
export class Drain extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: drain.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: drain.name,
      env: DrainEnv,
      environment: { ...tables.environment, DRAIN_QUEUE_URL: this.queue.url },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'listObjects', 'followLog', 'podsByNode', 'sightings', 'readCounters');
    tables.grant(fn.function, 'writeObject', 'takeTurns', 'writeChildren');
    this.queue.letSend(fn);

    this.queue.deliverTo(fn, { batchSize: 5, maxConcurrency: 10, enabled });
    runOnSchedule(this, 'EveryMinute', fn, {
      ...drain.schedules['drain-sweep'],
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
  }
}
