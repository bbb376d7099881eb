import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { podGc } from '../../lambdas/pod-gc/controller.ts';
import { PodGcEnv } from '../../lambdas/pod-gc/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** After ten seconds a run queues the rest as a new message. The pods that it works on may take four seconds each, and retries longer. */
const TIMEOUT = Duration.seconds(60);

/** Deletes pods that nobody else deletes. A rule sweeps every five minutes for what a lost message left. */
export class PodGc extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: podGc.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: podGc.name,
      env: PodGcEnv,
      environment: {
        ...tables.environment,
        POD_GC_QUEUE_URL: this.queue.url,
        NODE_MONITOR_GRACE_PERIOD_SECONDS: String(
          configuration.nodeLifecycle.nodeMonitorGracePeriodMs / 1000,
        ),
        TERMINATED_POD_GC_THRESHOLD: String(configuration.terminatedPodGcThreshold),
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'nodeHealth', 'podsByNode', 'unboundPods', 'terminatedPods');
    tables.grant(fn.function, 'readCounters', 'sightings', 'readHeartbeat', 'writeObject');
    tables.grant(fn.function, 'readRelays');
    this.queue.letSend(fn);

    this.queue.deliverTo(fn, { batchSize: 10, maxConcurrency: 10, enabled });
    runOnSchedule(this, 'EveryFiveMinutes', fn, {
      ...podGc.schedules['pod-gc-sweep'],
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
  }
}
