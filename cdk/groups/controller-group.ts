import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { AnyController } from '../../lambdas/controllers.ts';
import { GroupEnv } from '../../lambdas/group/env.ts';
import { GROUPS, type GroupName } from '../../lambdas/groups.ts';
import type { AccessGroup } from '../../shared/adapters/dynamodb/access.ts';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import { outOfServiceEnvironment } from '../../shared/settings/aws/controller-env.ts';
import {
  admissionEnvironment,
  nodeIpamEnvironment,
  nodeLifecycleEnvironment,
} from '../../shared/settings/aws/env.ts';
import { groupCode } from '../bundling/function-code.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import { runOnSchedules, type ScheduledRule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';
import { workQueueEnvironment } from '../constructs/work-queue-environment.ts';
import type { Extra, ExtraProps } from './extra.ts';
import { EXTRAS } from './extras.ts';

export interface ControllerGroupProps extends ExtraProps {
  readonly group: GroupName;
  /** Those that run. */
  readonly controllers: readonly AnyController[];
}

/** The lag of the node monitor has an alarm, and events of a cloud have sweeps. */
const WATCHED_OTHERWISE: readonly GroupName[] = ['node-monitor', 'cloud'];

const settingsOf = (configuration: Configuration) => ({
  ...nodeLifecycleEnvironment(configuration.nodeLifecycle),
  ...admissionEnvironment(configuration),
  ...nodeIpamEnvironment(configuration, true),
  ...outOfServiceEnvironment(configuration),
  TERMINATED_POD_GC_THRESHOLD: String(configuration.terminatedPodGcThreshold),
  DISABLE_FORCE_DETACH_ON_TIMEOUT: configuration.disableForceDetachOnTimeout ? 'on' : 'off',
  SCHEDULER_NAME: configuration.schedulerName,
});

const sendsTo = (controller: AnyController): readonly string[] => [
  controller.queue.name,
  ...('sendsTo' in controller ? controller.sendsTo : []),
];

const extrasOf = (controllers: readonly AnyController[]): readonly Extra[] =>
  controllers.flatMap(({ name }) => EXTRAS[name] ?? []);

/** The rules of a controller: one for each schedule, and what only this stack has. */
const rulesOf = (
  { name, schedules }: AnyController,
  configuration: Configuration,
): Readonly<Record<string, ScheduledRule>> => {
  const { isScheduled = () => true, rules = {} } = EXTRAS[name] ?? {};
  if (!isScheduled(configuration)) return rules;
  const own = Object.entries(schedules).map(
    ([schedule, { everyMinutes }]) => [schedule, { everyMinutes, input: { schedule } }] as const,
  );
  return { ...Object.fromEntries(own), ...rules };
};

/** The queue of a group, and the function that runs its controllers, with its rights, event source and schedules. */
export class ControllerGroup extends Construct {
  readonly queue: WorkQueue;
  readonly #props: ControllerGroupProps;

  constructor(scope: Construct, id: string, props: ControllerGroupProps) {
    super(scope, id);
    const { group: name, controllers, deadLetters } = props;
    const { timeoutSeconds } = GROUPS[name];
    this.#props = props;
    const serves = controllers.map(({ queue }) => queue.name);
    this.queue = new WorkQueue(this, 'Work', { name, timeoutSeconds, deadLetters, serves });
  }

  /** Adds the function. `queues`: of all groups that exist. */
  addFunction(queues: readonly WorkQueue[]): void {
    const { group, controllers, configuration, tables, monitoring, deadLetters } = this.#props;
    const { memoryMb, timeoutSeconds, batchSize, maxConcurrency } = GROUPS[group];
    const queueOf = (name: string): readonly WorkQueue[] =>
      queues.filter(({ serves }) => serves.includes(name));
    const sendable = [...new Set(controllers.flatMap(sendsTo).flatMap(queueOf))];
    const extras = extrasOf(controllers);

    const fn = new ControlPlaneFunction(this, 'Function', {
      name: group,
      code: groupCode(group, controllers),
      env: GroupEnv,
      environment: {
        ...tables.environment,
        ...settingsOf(configuration),
        ...workQueueEnvironment(this, queues, [...sendable, ...this.#sinks()]),
        ...Object.assign({}, ...extras.map(({ environment }) => environment?.(this.#props))),
      },
      timeout: Duration.seconds(timeoutSeconds),
      memorySize: memoryMb,
      configuration,
    });

    const access = controllers.flatMap((one): readonly AccessGroup[] => one.access);
    tables.grant(fn.function, ...new Set(access));
    for (const queue of sendable) queue.letSend(fn);
    this.queue.deliverTo(fn, { batchSize, maxConcurrency });
    const rules = controllers.map((one) => rulesOf(one, configuration));
    runOnSchedules(this, fn, deadLetters, Object.assign({}, ...rules));
    for (const { add } of extras) add?.(this, { ...this.#props, fn, queue: this.queue });

    if (!WATCHED_OTHERWISE.includes(group)) monitoring.addAgeAlarm(this.queue);
    monitoring.addRow(fn, this.queue.metrics);
  }

  /** The queues that the node monitor, which announces what it finds, may send to. */
  #sinks(): readonly WorkQueue[] {
    const { group, eventSender } = this.#props;
    return group === 'node-monitor' && eventSender ? [eventSender.queue] : [];
  }
}
