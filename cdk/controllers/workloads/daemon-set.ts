import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { daemonSet } from '../../../lambdas/daemon-set/controller.ts';
import { DaemonSetEnv } from '../../../lambdas/daemon-set/env.ts';
import type { ControlPlaneProps } from '../../constructs/control-plane-props.ts';
import { WorkloadController } from '../../constructs/workload-controller.ts';

/** One look creates and deletes up to 250 pods, eight at a time, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Creates and deletes the pods of DaemonSets. A rule queues all of them every hour. */
export class DaemonSet extends WorkloadController<'daemon-set'> {
  constructor(scope: Construct, id: string, props: ControlPlaneProps) {
    super(scope, id, {
      ...props,
      controller: daemonSet,
      env: DaemonSetEnv,
      timeout: TIMEOUT,
      access: ['keepClaims', 'followLog'],
    });
  }
}
