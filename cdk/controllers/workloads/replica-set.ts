import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { replicaSet } from '../../../lambdas/replica-set/controller.ts';
import { ReplicaSetEnv } from '../../../lambdas/replica-set/env.ts';
import type { ControlPlaneProps } from '../../constructs/control-plane-props.ts';
import { WorkloadController } from '../../constructs/workload-controller.ts';

/** One look creates up to 500 pods, eight at a time, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Creates and deletes the pods of ReplicaSets. A rule queues all of them every hour. */
export class ReplicaSet extends WorkloadController<'replica-set'> {
  constructor(scope: Construct, id: string, props: ControlPlaneProps) {
    super(scope, id, {
      ...props,
      controller: replicaSet,
      env: ReplicaSetEnv,
      timeout: TIMEOUT,
      access: ['keepClaims'],
    });
  }
}
