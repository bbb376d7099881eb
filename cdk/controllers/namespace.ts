import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { namespace } from '../../lambdas/namespace/controller.ts';
import { NamespaceEnv } from '../../lambdas/namespace/env.ts';
import { queueEnvironment } from '../../shared/settings/aws/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** A look begins no deletion after ten seconds. Lists before that may have to wait for holes in the logs of several kinds. */
const TIMEOUT = Duration.minutes(2);

/** Empties namespaces that are being deleted. A rule looks each minute for those whose messages were lost. */
export class Namespace extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, props: ControlPlaneProps) {
    super(scope, id);
    const { configuration, tables, monitoring } = props;
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: namespace.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: namespace.name,
      env: NamespaceEnv,
      environment: {
        ...tables.environment,
        ...queueEnvironment({ [namespace.queue.name]: this.queue }, ({ url }) => url),
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'readObject', 'listObjects', 'followLog', 'writeObject', 'keepClaims');
    tables.grant(fn.function, 'scanHeartbeats', 'deleteLeases');
    this.queue.letSend(fn);

    this.queue.deliverTo(fn, { batchSize: 1, maxConcurrency: 5, enabled });
    const { everyMinutes } = namespace.schedules['namespace-sweep'];
    runOnSchedule(this, 'EveryMinute', fn, { everyMinutes, enabled, deadLetters: this.queue.deadLetters });

    monitoring.addController(fn, this.queue);
  }
}
