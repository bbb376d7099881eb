import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ControlPlaneFunction, EnvSchema } from './control-plane-function.ts';

/** A rule that runs a function. */
export interface ScheduledRule {
  readonly everyMinutes: number;
  /** What the function gets; absent: EventBridge's own event. */
  readonly input?: object;
}

/** A run that is older has a younger one after it. By default Lambda keeps events for six hours, and EventBridge for a day: old runs would come in a burst. */
const LIMITS = { maxEventAge: Duration.minutes(2), retryAttempts: 1 };

/** Adds rules that invoke the function, by their ids. `deadLetters` gets the event of a run that failed twice or came too late. */
export const runOnSchedules = (
  scope: Construct,
  { function: fn }: ControlPlaneFunction<EnvSchema>,
  deadLetters: IQueue,
  rules: Readonly<Record<string, ScheduledRule>>,
): void => {
  if (Object.keys(rules).length === 0) return;
  for (const [id, { everyMinutes, input }] of Object.entries(rules)) {
    const event = input === undefined ? {} : { event: RuleTargetInput.fromObject(input) };
    const target = new LambdaFunction(fn, { ...LIMITS, deadLetterQueue: deadLetters, ...event });
    new Rule(scope, id, { schedule: Schedule.rate(Duration.minutes(everyMinutes)), targets: [target] });
  }
  fn.configureAsyncInvoke({ ...LIMITS, onFailure: new SqsDestination(deadLetters) });
};
