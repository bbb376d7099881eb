import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { deployment } from '../../lambdas/deployment/controller.ts';
import { DeploymentEnv } from '../../lambdas/deployment/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { runOnSchedule } from './run-on-schedule.ts';
import { WorkQueue } from './work-queue.ts';

/** A look writes some ReplicaSets, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Rolls Deployments out. A rule queues all of them every hour. */
export class Deployment extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name: deployment.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: deployment.name,
      env: DeploymentEnv,
      environment: {
        ...tables.environment,
        DEPLOYMENT_QUEUE_URL: this.queue.url,
        DEFAULT_TOLERATION_SECONDS: String(configuration.defaultTolerationSeconds),
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'readObject', 'listObjects', 'writeObject', 'keepClaims');
    tables.grant(fn.function, 'readOwnerEdges', 'takeTurns', 'writeChildren');
    this.queue.queue.grantSendMessages(fn.function);

    fn.function.addEventSource(this.queue.source({ batchSize: 5, maxConcurrency: 10, enabled }));
    runOnSchedule(this, 'EveryHour', fn, { ...deployment.schedules['deployment-resync'], enabled });

    monitoring.addController(fn, this.queue);
  }
}
