import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { deployment } from '../../../lambdas/deployment/controller.ts';
import { DeploymentEnv } from '../../../lambdas/deployment/env.ts';
import type { ControlPlaneProps } from '../../constructs/control-plane-props.ts';
import { WorkloadController } from '../../constructs/workload-controller.ts';

/** A look writes some ReplicaSets, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Rolls Deployments out. A rule queues all of them every hour. */
export class Deployment extends WorkloadController<'deployment'> {
  constructor(scope: Construct, id: string, props: ControlPlaneProps) {
    super(scope, id, { ...props, controller: deployment, env: DeploymentEnv, timeout: TIMEOUT });
  }
}
