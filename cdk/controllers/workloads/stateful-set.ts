import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { statefulSet } from '../../../lambdas/stateful-set/controller.ts';
import { StatefulSetEnv } from '../../../lambdas/stateful-set/env.ts';
import type { ControlPlaneProps } from '../../constructs/control-plane-props.ts';
import { WorkloadController } from '../../constructs/workload-controller.ts';

/** One look creates up to 500 pods with their claims, eight at a time, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Creates, replaces and deletes the pods of StatefulSets. A rule queues all of them every hour. */
export class StatefulSet extends WorkloadController<'stateful-set'> {
  constructor(scope: Construct, id: string, props: ControlPlaneProps) {
    super(scope, id, {
      ...props,
      controller: statefulSet,
      env: StatefulSetEnv,
      timeout: TIMEOUT,
      access: ['keepClaims'],
    });
  }
}
