import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ControlPlaneFunction, EnvSchema } from './control-plane-function.ts';

export interface RunOnScheduleProps {
  readonly everyMinutes: number;
  readonly enabled: boolean;
  /** Gets the event of a run that failed twice or came too late; it needs an alarm. */
  readonly deadLetters: IQueue;
}

/** A run that is older has a younger one after it. By default Lambda keeps events for six hours, and EventBridge for a day: old runs would come in a burst. */
const LIMITS = { maxEventAge: Duration.minutes(2), retryAttempts: 1 };

/** Adds a rule that invokes the function every `everyMinutes`. A function has one such rule. */
export const runOnSchedule = (
  scope: Construct,
  id: string,
  { function: fn }: ControlPlaneFunction<EnvSchema>,
  { everyMinutes, enabled, deadLetters }: RunOnScheduleProps,
): void => {
  const rule = new Rule(scope, id, { schedule: Schedule.rate(Duration.minutes(everyMinutes)), enabled });
  rule.addTarget(new LambdaFunction(fn, { ...LIMITS, deadLetterQueue: deadLetters }));
  fn.configureAsyncInvoke({ ...LIMITS, onFailure: new SqsDestination(deadLetters) });
};
