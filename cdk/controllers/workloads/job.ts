import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { job } from '../../../lambdas/job/controller.ts';
import { JobEnv } from '../../../lambdas/job/env.ts';
import type { ControlPlaneProps } from '../../constructs/control-plane-props.ts';
import { WorkloadController } from '../../constructs/workload-controller.ts';

/** One look creates up to 500 pods and lets go of 500, eight at a time, and may first wait for the lag of the tables. */
const TIMEOUT = Duration.minutes(2);

/** Makes and counts the pods of Jobs. A rule queues all of them every hour. */
export class Job extends WorkloadController<'job'> {
  constructor(scope: Construct, id: string, props: ControlPlaneProps) {
    super(scope, id, { ...props, controller: job, env: JobEnv, timeout: TIMEOUT, access: ['keepClaims'] });
  }
}
