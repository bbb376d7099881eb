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
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { groupOf } from '../../lambdas/groups.ts';
import { NODE_MONITOR_METRICS } from '../../lambdas/node-monitor/metrics.ts';
import { TAINT_EVICTION_METRICS } from '../../lambdas/taint-eviction/metrics.ts';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import type { ControlPlaneFunction, EnvSchema } from './control-plane-function.ts';
import type { WorkQueue } from './work-queue.ts';

export interface AlarmProps {
  readonly metric: IMetric;
  /** The alarm fires at this value and above. */
  readonly threshold: number;
  /** One sentence that says what happened. */
  readonly description: string;
  /** How many of the last periods must breach the threshold. Default: 1 of 1. */
  readonly periods?: { readonly bad: number; readonly of: number };
  /** The alarm also fires when data is missing. */
  readonly missingIsBad?: boolean;
}

/** The metrics of lambdas/node-monitor and lambdas/taint-eviction that describe the state of the fleet. */
const FLEET = {
  nodesUnknown: { service: groupOf('node-monitor'), metric: NODE_MONITOR_METRICS.silentNodes },
  zonesDisrupted: { service: groupOf('node-monitor'), metric: NODE_MONITOR_METRICS.disruptedZones },
  relaysSilent: { service: groupOf('node-monitor'), metric: NODE_MONITOR_METRICS.silentRelays },
  evictionsWaiting: { service: groupOf('node-monitor'), metric: NODE_MONITOR_METRICS.waitingNodes },
  oldestOverdueDeadline: { service: groupOf('taint-eviction'), metric: TAINT_EVICTION_METRICS.oldestOverdue },
} as const;

export interface MonitoringProps extends Pick<Configuration, 'alarmTopicArn' | 'profile' | 'dashboard'> {
  /** Gets what no function could do. */
  readonly deadLetters: IQueue;
  /** Whether any controllers run. */
  readonly hasControllers: boolean;
}

export interface EmittedMetric {
  readonly service: string;
  readonly metric: { readonly name: string };
  readonly statistic: 'Maximum' | 'Sum';
  readonly period?: Duration;
}

type AnyFunction = ControlPlaneFunction<EnvSchema>;

const FIVE_MINUTES = Duration.minutes(5);
/** A single slow start or throttled call needs no operator, so two of three periods of five minutes must breach. */
const LASTING = { bad: 2, of: 3 };
/** Half an hour. The taints of a zone of 50 nodes take eight minutes at 0.1 nodes per second. */
const LONG = { bad: 6, of: 6 };
/** The sweep, every minute, makes up for lost messages. At this age, two sweeps did not help. */
const OVERDUE_SECONDS = 150;
/** A message may be delayed for 15 minutes; whether its age counts them was never measured. */
const OLD = Duration.minutes(20);
const WIDTH = 8;
const HEIGHT = 5;

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, left: [...left], right: [...right], width: WIDTH, height: HEIGHT });

/** A metric that the function `service` of the stack of `scope` emits. The period is five minutes unless one is given. */
export const emittedMetric = (
  scope: Construct,
  { service, metric, statistic, period = FIVE_MINUTES }: EmittedMetric,
): Metric =>
  new Metric({
    namespace: Stack.of(scope).stackName,
    metricName: metric.name,
    dimensionsMap: { service },
    statistic,
    period,
  });

/**
 * All alarms, each with its section of the runbook, and if the settings say so one dashboard with a row for the fleet and one for each function.
 * Invocations that fail have no alarm of their own: their work ends as dead letters, as age of messages, or as lag.
 */
export class Monitoring extends Construct {
  readonly #dashboard: Dashboard | undefined;
  readonly #props: MonitoringProps;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.#props = props;
    if (props.dashboard === 'on')
      this.#dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(3) });
    if (props.hasControllers) this.#addFleetAlarms();
  }

  /** The profile `lifecycle` has fewer alarms: without those of a busy API, of relays, and of messages that wait. */
  get #isFull(): boolean {
    return this.#props.profile === 'full';
  }

  /** Adds an alarm. `section` is the anchor of its section in the runbook. */
  addAlarm(
    section: string,
    { metric, threshold, description, periods = { bad: 1, of: 1 }, missingIsBad = false }: AlarmProps,
  ): void {
    const alarm = new Alarm(this, section, {
      metric,
      threshold,
      alarmDescription: `${description} See docs/runbook.md#${section}`,
      datapointsToAlarm: periods.bad,
      evaluationPeriods: periods.of,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: missingIsBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    const { alarmTopicArn: alarmActionArn } = this.#props;
    if (alarmActionArn !== undefined) alarm.addAlarmAction({ bind: () => ({ alarmActionArn }) });
  }

  /** Adds the row and the alarms of the fleet, which an operator looks at first. */
  #addFleetAlarms(): void {
    const metric = (of: keyof typeof FLEET): Metric =>
      emittedMetric(this, { ...FLEET[of], statistic: 'Maximum' });
    this.#dashboard?.addWidgets(
      graph('nodes Unknown', [metric('nodesUnknown')]),
      graph('zones disrupted, relays silent', [metric('zonesDisrupted')], [metric('relaysSilent')]),
      graph('evictions', [metric('evictionsWaiting')], [metric('oldestOverdueDeadline')]),
    );
    this.addAlarm('nodes-unknown', {
      metric: metric('nodesUnknown'),
      threshold: 1,
      periods: LASTING,
      description: 'Nodes stopped sending heartbeats: their Ready condition is Unknown.',
    });
    this.addAlarm('zones-disrupted', {
      metric: metric('zonesDisrupted'),
      threshold: 1,
      description: 'Most or all nodes of a zone are not ready. Its evictions may be slowed down or stopped.',
    });
    if (this.#isFull)
      this.addAlarm('relays-silent', {
        metric: metric('relaysSilent'),
        threshold: 1,
        periods: LASTING,
        description:
          'A relay has sent no batch for minutes: it does not run, or its site has lost its uplink. See `kubectl get relays`.',
      });
    this.addAlarm('evictions-waiting', {
      metric: metric('evictionsWaiting'),
      threshold: 1,
      periods: LONG,
      description: 'Nodes have been waiting for their NoExecute taint for half an hour.',
    });
    this.addAlarm('deadlines-overdue', {
      metric: metric('oldestOverdueDeadline'),
      threshold: OVERDUE_SECONDS,
      periods: LASTING,
      description: 'Pods were not evicted although their deadlines passed minutes ago.',
    });
    this.#addDeadLetterAlarm();
  }

  /** Adds an alarm on the first dead letter. */
  #addDeadLetterAlarm(): void {
    this.addAlarm('dead-letters', {
      metric: this.#props.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum' }),
      threshold: 1,
      description: 'Messages failed five times, or a scheduled run failed twice.',
    });
  }

  /** Adds an alarm on messages that no function handles: a disabled event source, a function without concurrency, or more work than it can do. */
  addAgeAlarm({ name, queue }: Pick<WorkQueue, 'name' | 'queue'>): void {
    if (!this.#isFull) return;
    this.addAlarm(`${name}-age`, {
      metric: queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: FIVE_MINUTES }),
      threshold: OLD.toSeconds(),
      description: `A message has waited for ${OLD.toMinutes()} minutes in the queue ${name}.`,
    });
  }

  /** Adds the alarms of a function with a URL: responses of 500 and above, and throttled requests. */
  addUrlAlarms({ function: fn, name }: AnyFunction, { throttling = true } = {}): void {
    this.addAlarm(`${name}-server-errors`, {
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Url5xxCount',
        dimensionsMap: { FunctionName: fn.functionName },
        statistic: 'Sum',
        period: FIVE_MINUTES,
      }),
      threshold: 5,
      periods: LASTING,
      description: `${name} keeps answering with 500 or above.`,
    });
    if (throttling)
      this.addAlarm(`${name}-throttled`, {
        metric: fn.metricThrottles({ period: FIVE_MINUTES }),
        threshold: 1,
        periods: LASTING,
        description: `Requests to ${name} are throttled: more arrive than its concurrency allows.`,
      });
  }

  /** Adds the row of a function: invocations, duration, and waiting messages. */
  addRow({ function: fn, name }: AnyFunction, waiting: readonly IMetric[]): void {
    this.#dashboard?.addWidgets(
      graph(`${name}: invocations`, [fn.metricInvocations()], [fn.metricErrors(), fn.metricThrottles()]),
      graph(`${name}: duration`, [
        fn.metricDuration({ statistic: 'p50' }),
        fn.metricDuration({ statistic: 'p99' }),
      ]),
      graph(`${name}: waiting`, waiting),
    );
  }
}
