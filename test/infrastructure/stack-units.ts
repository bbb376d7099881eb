/** What a synthesized stack has that AWS bills, for `rollcall cost`. Whatever has no known price is refused. */
import type { StackUnits } from '../../cli/cost/stack.ts';
import { CHANGE_ROUTER_METRICS } from '../../lambdas/change-router/metrics.ts';
import { loadControllers } from '../../lambdas/controllers.ts';
import { EVENT_SENDER_METRICS } from '../../lambdas/event-sender/metrics.ts';
import { groupOf } from '../../lambdas/groups.ts';
import type { Metric } from '../../shared/ports/process/metrics.ts';
import { type Assembly, functionsByName, ofType, type Resource, target } from './assembly.ts';

/** Types that are free, or billed by use that lines of their own count. */
const FREE: readonly string[] = [
  'AWS::ApplicationAutoScaling::ScalableTarget',
  // Its alarms are priced by `--provisioned`, too.
  'AWS::ApplicationAutoScaling::ScalingPolicy',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Url',
  'AWS::Logs::LogGroup',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
];

/** Types that `stackUnits` counts. */
const COUNTED: readonly string[] = [
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Events::Rule',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::SecretsManager::Secret',
];

/** The only members of an alarm that decide its price: one metric, at the usual resolution. */
const checkAlarm = ([id, { Properties }]: readonly [string, Resource]): void => {
  const { Metrics, MetricName, Period, ThresholdMetricId } = Properties;
  if (Metrics !== undefined || ThresholdMetricId !== undefined || MetricName === undefined)
    throw new Error(`${id}: an alarm on metric math, whose price nobody has entered`);
  if (Number(Period) < 60)
    throw new Error(`${id}: an alarm of high resolution, whose price nobody has entered`);
};

const checkTypes = ({ resources }: Assembly): void => {
  const unknown = Object.entries(resources).filter(([, { Type }]) => ![...FREE, ...COUNTED].includes(Type));
  const [first] = unknown;
  if (first)
    throw new Error(`${first[0]}: nobody has entered a price of ${first[1].Type}, or that it is free`);
};

/** Absent: CloudFormation provisions units, which `--provisioned` prices. */
const BILLINGS: readonly unknown[] = ['PAY_PER_REQUEST', undefined];

const checkTable = ([id, { Properties }]: readonly [string, Resource]): void => {
  if (!BILLINGS.includes(Properties['BillingMode']))
    throw new Error(`${id}: nobody has entered the price of a table of ${String(Properties['BillingMode'])}`);
};

/** Event sources that ask queues. Streams are asked without charge. */
const polledQueues = (assembly: Assembly): number =>
  ofType(assembly, 'AWS::Lambda::EventSourceMapping').filter(
    ([, { Properties }]) =>
      assembly.resources[target(Properties['EventSourceArn'])]?.Type === 'AWS::SQS::Queue',
  ).length;

const MINUTES: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1_440 };

/** Minutes between two runs of a rule. Throws for another expression than a rate. */
const minutesOf = (expression: string): number => {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const minutes = Number(count) * (MINUTES[unit] ?? Number.NaN);
  if (Number.isNaN(minutes)) throw new Error(`nobody has entered how often ${expression} is`);
  return minutes;
};

const nameOf = (assembly: Assembly, id: string): string => {
  const found = [...functionsByName(assembly)].find(([, fn]) => assembly.resources[id] === fn);
  if (!found) throw new Error(`${id} is no function`);
  return found[0];
};

/** What a rule gives to its function: a schedule, a message, or nothing. */
const inputOf = ({ Input = '{}' }: { readonly Input?: string }): string => {
  const { schedule, message } = JSON.parse(Input) as { schedule?: string; message?: { queue: string } };
  return schedule ?? message?.queue ?? '';
};

/** The minutes between two runs of each schedule, by function and schedule. Rules on events of AWS are free. */
const schedulesOf = (assembly: Assembly): Readonly<Record<string, number>> =>
  Object.fromEntries(
    ofType(assembly, 'AWS::Events::Rule').flatMap(([, { Properties }]) => {
      const { ScheduleExpression: expression } = Properties;
      if (typeof expression !== 'string') return [];
      const minutes = minutesOf(expression);
      const [first] = Properties['Targets'] as readonly { readonly Arn: unknown; readonly Input?: string }[];
      const name = `${nameOf(assembly, target(first?.Arn))} ${inputOf(first ?? {})}`.trim();
      return [[name, minutes]];
    }),
  );

type Emitting = readonly [functionName: string, metrics: readonly Metric[]];

const emitting = async (): Promise<readonly Emitting[]> => [
  ...(await loadControllers()).map(
    ({ name, work }): Emitting => [groupOf(name), Object.values(work.metrics)],
  ),
  ['change-router', Object.values(CHANGE_ROUTER_METRICS)],
  ['event-sender', Object.values(EVENT_SENDER_METRICS)],
];

/** The metrics of the functions that exist: a gauge is stored while it is not 0, a counter in hours in which something happens. */
const metricsOf = async (assembly: Assembly): Promise<StackUnits['metrics']> => {
  const functions = functionsByName(assembly);
  const own = (await emitting()).filter(([name]) => functions.has(name));
  return own.flatMap(([name, metrics]) =>
    metrics.map(({ name: metric, kind, labels, isSignOfLife }) => ({
      function: name,
      name: metric,
      kind: isSignOfLife ? 'sign of life' : kind,
      labels,
    })),
  );
};

/** Counts. Throws if it finds a type, an alarm, a table or a rate of which nobody has entered what it costs. */
export const stackUnits = async (assembly: Assembly): Promise<StackUnits> => {
  checkTypes(assembly);
  const alarms = ofType(assembly, 'AWS::CloudWatch::Alarm');
  for (const alarm of alarms) checkAlarm(alarm);
  for (const table of ofType(assembly, 'AWS::DynamoDB::Table')) checkTable(table);
  return {
    functions: Object.fromEntries(
      [...functionsByName(assembly)].map(([name, { Properties }]) => [
        name,
        Number(Properties['MemorySize']),
      ]),
    ),
    polledQueues: polledQueues(assembly),
    alarms: alarms.length,
    secrets: ofType(assembly, 'AWS::SecretsManager::Secret').length,
    dashboards: ofType(assembly, 'AWS::CloudWatch::Dashboard').length,
    schedules: schedulesOf(assembly),
    metrics: await metricsOf(assembly),
  };
};
