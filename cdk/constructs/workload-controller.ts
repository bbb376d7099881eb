import type { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import {
  admissionEnvironment,
  queueEnvironment,
  type WorkloadStrings,
} from '../../shared/settings/aws/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { runOnSchedule } from './run-on-schedule.ts';
import type { AccessGroup } from './table-access.ts';
import { WorkQueue } from './work-queue.ts';

/** The schema in `lambdas/<x>/env.ts`. */
interface WorkloadEnvSchema<Name extends string> {
  readonly _zod: { readonly input: WorkloadStrings<Name> };
}

export interface WorkloadControllerProps<Name extends string> extends ControlPlaneProps {
  /** Its queue is named like itself, and its only schedule is its resync. */
  readonly controller: {
    readonly name: Name;
    readonly queue: { readonly name: Name };
    readonly schedules: Readonly<Record<`${Name}-resync`, { readonly everyMinutes: number }>>;
  };
  readonly env: WorkloadEnvSchema<Name>;
  readonly timeout: Duration;
  /** Requests to the tables beyond those that every such function sends. */
  readonly access?: readonly AccessGroup[];
}

/** The function that keeps the children of one kind of owner, such as ReplicaSets, with its queue and the rule that queues all owners. */
export class WorkloadController<Name extends string> extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, props: WorkloadControllerProps<Name>) {
    super(scope, id);
    const { configuration, tables, monitoring, controller, env, timeout, access = [] } = props;
    const { name, schedules } = controller;
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Work', { name, functionTimeout: timeout });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: name,
      env,
      environment: {
        ...tables.environment,
        ...queueEnvironment({ [name]: this.queue } as Record<Name, WorkQueue>, ({ url }) => url),
        ...admissionEnvironment(configuration),
      },
      timeout,
      configuration,
    });

    tables.grant(fn.function, 'readObject', 'listObjects', 'writeObject', ...access);
    tables.grant(fn.function, 'readOwnerEdges', 'takeTurns', 'writeChildren');
    this.queue.letSend(fn);

    this.queue.deliverTo(fn, { batchSize: 5, maxConcurrency: 10, enabled });
    runOnSchedule(this, 'EveryHour', fn, {
      ...schedules[`${name}-resync`],
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
  }
}
