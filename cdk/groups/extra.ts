import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import type { ControlPlaneFunction, EnvSchema } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import type { ScheduledRule } from '../constructs/run-on-schedule.ts';
import type { WorkQueue } from '../constructs/work-queue.ts';
import type { EventSender } from '../functions/event-sender.ts';

/** What an extra may use. */
export interface ExtraProps extends ControlPlaneProps {
  readonly events: EventBus;
  readonly eventSender: EventSender | undefined;
}

/** The function and the queue of the controller's group. */
export interface Extended extends ExtraProps {
  readonly fn: ControlPlaneFunction<EnvSchema>;
  readonly queue: WorkQueue;
}

/** What only one controller needs on AWS besides what all have. */
export interface Extra {
  /** Variables of its function. */
  readonly environment?: (props: ExtraProps) => Readonly<Record<string, string>>;
  /** Whether its schedules run. Absent: they do. */
  readonly isScheduled?: (configuration: Configuration) => boolean;
  /** Rules besides its schedules. */
  readonly rules?: Readonly<Record<string, ScheduledRule>>;
  /** Adds rights, rules and alarms. */
  readonly add?: (scope: Construct, props: Extended) => void;
}
