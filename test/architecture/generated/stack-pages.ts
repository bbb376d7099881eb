/** The pages whose facts the synthesized stack has: its controllers and its alarms. */
import type { Controller } from '../../../lambdas/contract/controller.ts';
import { type AnyController, CONTROLLERS, loadControllers } from '../../../lambdas/controllers.ts';
import { groupOf } from '../../../lambdas/groups.ts';
import { alertGroups } from '../../../monitoring/alerts.ts';
import {
  type Assembly,
  functionsByName,
  ofType,
  type Resource,
  target,
} from '../../infrastructure/assembly.ts';
import { docstringsIn } from './docstrings.ts';
import { code, pageOf, tableOf } from './markdown.ts';

const camelCase = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The first sentence of the docstring of a controller. */
const purposeOf = (name: string): string => {
  const docstring = docstringsIn(`lambdas/${name}/controller.ts`).get(camelCase(name)) ?? '';
  const [sentence = ''] = /^.*?\.(?= |$)/.exec(docstring) ?? [];
  if (sentence === '') throw new Error(`lambdas/${name}/controller.ts: the controller has no docstring`);
  return sentence;
};

const schedulesOf = ({ schedules }: Controller): string =>
  Object.entries(schedules)
    .map(([name, { everyMinutes }]) => `${code(name)} every ${everyMinutes} min`)
    .join(', ');

/** The event source through which a function consumes the queue of its controller. */
const sourceOf = (assembly: Assembly, fn: Resource): Resource | undefined => {
  const sources = ofType(assembly, 'AWS::Lambda::EventSourceMapping').map(([, resource]) => resource);
  return sources.find(({ Properties }) => assembly.resources[target(Properties['FunctionName'])] === fn);
};

const controllerRow = (assembly: Assembly, controller: AnyController): readonly string[] => {
  const group = groupOf(controller.name);
  const fn = functionsByName(assembly).get(group);
  if (!fn) throw new Error(`the stack has no function ${group}`);
  const { BatchSize, ScalingConfig } = sourceOf(assembly, fn)?.Properties ?? {};
  const { MaximumConcurrency } = (ScalingConfig ?? {}) as { MaximumConcurrency?: number };
  const { Timeout, MemorySize } = fn.Properties;
  const numbers = [Timeout, MemorySize, BatchSize, MaximumConcurrency] as readonly (number | undefined)[];
  return [
    code(controller.name),
    purposeOf(controller.name),
    code(controller.queue.name),
    schedulesOf(controller),
    code(group),
    ...numbers.map((number) => String(number ?? '')),
  ];
};

/** `docs/reference/controllers.md`. */
export const controllersPage = (assembly: Assembly): string =>
  pageOf(
    'Controllers',
    'The queue and the schedules of each controller; on AWS also its group, which shares a queue of SQS and a function, with the time-out (s) and the memory (MB) of that function, the most messages in one invocation, and the most concurrent invocations. A host runs the same controllers in its own process. [What each reads and writes, and what it costs](../controllers.md).',
    tableOf(
      ['controller', 'purpose', 'queue', 'schedules', 'group', 'time-out', 'memory', 'batch', 'concurrency'],
      CONTROLLERS.map((controller) => controllerRow(assembly, controller)),
    ),
  );

const inRunbook = (name: string, section = name): string => `[${name}](../runbook.md#${section})`;

const alarmRow = ({ Properties }: Resource): readonly string[] => {
  const of = (property: string): string => String(Properties[property]);
  const [, description = '', name = ''] =
    /^(.*) See docs\/runbook\.md#(\S+)$/.exec(of('AlarmDescription')) ?? [];
  const sign = of('ComparisonOperator') === 'LessThanThreshold' ? '<' : '≥';
  return [
    inRunbook(name),
    code(of('MetricName')),
    `${sign} ${of('Threshold')}`,
    `${of('DatapointsToAlarm')} of ${of('EvaluationPeriods')}`,
    of('Period'),
    description,
  ];
};

/** `docs/reference/alarms.md`. */
export const alarmsPage = async (assembly: Assembly): Promise<string> => {
  const alerts = alertGroups(await loadControllers()).flatMap((group) => group.alerts);
  return pageOf(
    'Alarms and alerts',
    'Each leads to its section of the [runbook](../runbook.md).',
    '## Alarms on AWS',
    'An alarm fires if so many of the last periods (s) meet the condition.',
    tableOf(
      ['alarm', 'metric', 'condition', 'periods', 'seconds', 'what happened'],
      ofType(assembly, 'AWS::CloudWatch::Alarm').map(([, alarm]) => alarmRow(alarm)),
    ),
    '## Alerts of a host',
    'For Prometheus: an alert fires if its expression holds so long.',
    tableOf(
      ['alert', 'severity', 'holds for', 'what happened', 'expression'],
      alerts.map(({ name, section, severity, lasts, summary, expr }) => [
        inRunbook(name, section),
        severity,
        lasts,
        summary,
        code(expr),
      ]),
    ),
  );
};
