import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { ControlPlaneFunction, EnvSchema } from './control-plane-function.ts';

export interface RunOnScheduleProps {
  readonly everyMinutes: number;
  readonly enabled: boolean;
}

/** Adds a rule that invokes the function every `everyMinutes`. */
export const runOnSchedule = (
  scope: Construct,
  id: string,
  fn: ControlPlaneFunction<EnvSchema>,
  { everyMinutes, enabled }: RunOnScheduleProps,
): void => {
  const rule = new Rule(scope, id, { schedule: Schedule.rate(Duration.minutes(everyMinutes)), enabled });
  rule.addTarget(new LambdaFunction(fn.function));
};
