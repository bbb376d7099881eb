/** What each stack has that AWS bills: `npm run generate` counts it in the templates. */
import stacks from './stack-units.json' with { type: 'json' };

/** A metric that a function may emit. CloudWatch bills each set of values of its labels, in hours in which it is emitted. */
export interface EmittedMetric {
  readonly function: string;
  readonly name: string;
  /** `gauge`: emitted while it is not 0. `sign of life`: always. */
  readonly kind: string;
  readonly labels: readonly string[];
}

/** One stack. */
export interface StackUnits {
  /** MB of memory by the name of the function. */
  readonly functions: Readonly<Record<string, number>>;
  /** Queues that Lambda asks for messages, also while they are empty. */
  readonly polledQueues: number;
  /** Metrics in alarms. */
  readonly alarms: number;
  readonly secrets: number;
  readonly dashboards: number;
  /** Minutes between two runs, by function and schedule. */
  readonly schedules: Readonly<Record<string, number>>;
  readonly metrics: readonly EmittedMetric[];
}

/** `full`: all controllers, without a cloud and event sinks. `lifecycle`: the profile. `none`: the API and beats only. */
export type StackName = keyof typeof stacks;

export const STACKS: Readonly<Record<StackName, StackUnits>> = stacks;
