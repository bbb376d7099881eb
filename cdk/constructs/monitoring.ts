import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { NODE_MONITOR_METRICS } from '../../lambdas/node-monitor/metrics.ts';
import { TAINT_EVICTION_METRICS } from '../../lambdas/taint-eviction/metrics.ts';
import type { ControlPlaneFunction, EnvSchema } from './control-plane-function.ts';

export interface AlarmProps {
  readonly metric: IMetric;
  /** The alarm goes off at this value. */
  readonly threshold: number;
  /** One sentence: what happened. */
  readonly says: string;
  /** Periods that are looked at, and how many of them must be over the threshold. 1 of 1 unless given. */
  readonly periods?: { readonly bad: number; readonly of: number };
  /** The alarm goes off below the threshold instead, and when there is nothing to measure. */
  readonly whenBelow?: boolean;
}

/** The metrics of lambdas/node-monitor and lambdas/taint-eviction that say how the fleet is. */
const FLEET = {
  nodesUnknown: { service: 'node-monitor', name: NODE_MONITOR_METRICS.silentNodes },
  zonesDisrupted: { service: 'node-monitor', name: NODE_MONITOR_METRICS.disruptedZones },
  evictionsWaiting: { service: 'node-monitor', name: NODE_MONITOR_METRICS.waitingNodes },
  oldestOverdueDeadline: { service: 'taint-eviction', name: TAINT_EVICTION_METRICS.oldestOverdue },
} as const;

export interface MonitoringProps {
  readonly controllers: 'all' | 'none';
  readonly alarmTopicArn: string | undefined;
}

type AnyFunction = ControlPlaneFunction<EnvSchema>;

const FIVE_MINUTES = Duration.minutes(5);
/** One slow start or one throttled call heals itself; two of three spans of five minutes do not. */
const LASTING = { bad: 2, of: 3 };
/** A zone of 50 nodes needs eight minutes at 0.1 nodes per second; half an hour without an end is worth a look. */
const LONG = { bad: 6, of: 6 };
/** A sweep each minute finds what a lost message left; two of them did not help. */
const OVERDUE_SECONDS = 150;
const WIDTH = 8;
const HEIGHT = 5;

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, left: [...left], right: [...right], width: WIDTH, height: HEIGHT });

const fleetMetric = (scope: Construct, of: keyof typeof FLEET): Metric =>
  new Metric({
    namespace: Stack.of(scope).stackName,
    metricName: FLEET[of].name,
    dimensionsMap: { service: FLEET[of].service },
    statistic: 'Maximum',
    period: FIVE_MINUTES,
  });

/** All alarms, each with its section of the runbook, and one dashboard: a row on the fleet, and a row per function. */
export class Monitoring extends Construct {
  readonly #dashboard: Dashboard;
  readonly #topicArn: string | undefined;

  constructor(scope: Construct, id: string, { alarmTopicArn, controllers }: MonitoringProps) {
    super(scope, id);
    this.#dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(3) });
    this.#topicArn = alarmTopicArn;
    if (controllers === 'all') this.#watchFleet();
  }

  /** An alarm; `section` is the anchor of its section in the runbook. */
  alarm(
    section: string,
    { metric, threshold, says, periods = { bad: 1, of: 1 }, whenBelow = false }: AlarmProps,
  ): void {
    const alarm = new Alarm(this, section, {
      metric,
      threshold,
      alarmDescription: `${says} See docs/runbook.md#${section}`,
      datapointsToAlarm: periods.bad,
      evaluationPeriods: periods.of,
      comparisonOperator: whenBelow
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: whenBelow ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    const alarmActionArn = this.#topicArn;
    if (alarmActionArn !== undefined) alarm.addAlarmAction({ bind: () => ({ alarmActionArn }) });
  }

  /** What an operator asks first: the fleet's own state, before any function's. */
  #watchFleet(): void {
    const metric = (of: keyof typeof FLEET): Metric => fleetMetric(this, of);
    this.#dashboard.addWidgets(
      graph('nodes Unknown', [metric('nodesUnknown')]),
      graph('zones disrupted', [metric('zonesDisrupted')]),
      graph('evictions', [metric('evictionsWaiting')], [metric('oldestOverdueDeadline')]),
    );
    this.alarm('nodes-unknown', {
      metric: metric('nodesUnknown'),
      threshold: 1,
      periods: LASTING,
      says: 'Nodes do not answer the roll call.',
    });
    this.alarm('zones-disrupted', {
      metric: metric('zonesDisrupted'),
      threshold: 1,
      says: 'Most nodes of a zone do not answer: evictions there are slower, or rest.',
    });
    this.alarm('evictions-waiting', {
      metric: metric('evictionsWaiting'),
      threshold: 1,
      periods: LONG,
      says: 'Nodes have been waiting for their NoExecute taint for half an hour.',
    });
    this.alarm('deadlines-overdue', {
      metric: metric('oldestOverdueDeadline'),
      threshold: OVERDUE_SECONDS,
      periods: LASTING,
      says: 'Pods are still there minutes after their deadlines.',
    });
  }

  /** The alarm on runs that failed as a whole. */
  watchErrors({ function: fn, folder }: AnyFunction): void {
    this.alarm(`${folder}-errors`, {
      metric: fn.metricErrors({ period: FIVE_MINUTES }),
      threshold: 1,
      periods: LASTING,
      says: `${folder} fails again and again.`,
    });
  }

  /** The alarms of a function behind a URL: answers of 500 and above, and requests refused for want of concurrency. */
  watchUrl({ function: fn, folder }: AnyFunction): void {
    this.alarm(`${folder}-server-errors`, {
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Url5xxCount',
        dimensionsMap: { FunctionName: fn.functionName },
        statistic: 'Sum',
        period: FIVE_MINUTES,
      }),
      threshold: 5,
      periods: LASTING,
      says: `${folder} answers with errors of its own.`,
    });
    this.alarm(`${folder}-throttled`, {
      metric: fn.metricThrottles({ period: FIVE_MINUTES }),
      threshold: 1,
      periods: LASTING,
      says: `Requests to ${folder} are refused: more arrive than may run side by side.`,
    });
  }

  /** The row of a function: how often, how long, and what waits for it. */
  row({ function: fn, folder }: AnyFunction, waiting: readonly IMetric[]): void {
    this.#dashboard.addWidgets(
      graph(`${folder}: invocations`, [fn.metricInvocations()], [fn.metricErrors(), fn.metricThrottles()]),
      graph(`${folder}: duration`, [
        fn.metricDuration({ statistic: 'p50' }),
        fn.metricDuration({ statistic: 'p99' }),
      ]),
      graph(`${folder}: waiting`, waiting),
    );
  }
}
