import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { EventSenderEnv } from '../../lambdas/event-sender/env.ts';
import { EVENT_SENDER_METRICS } from '../../lambdas/event-sender/metrics.ts';
import { sinkNameOf } from '../../shared/adapters/webhook/sink-name.ts';
import { SINK_LOOKS } from '../../shared/ports/process/messages.ts';
import type { StoredSink } from '../../shared/settings/aws/event-env.ts';
import type { FunctionSink } from '../../shared/settings/aws/function-sinks.ts';
import { writeSinkFilters } from '../../shared/settings/events/sink-filters.ts';
import { functionCode } from '../bundling/function-code.ts';
import { ControlPlaneFunction, type EnvSchema } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { emittedMetric } from '../constructs/monitoring.ts';
import { runOnSchedules } from '../constructs/run-on-schedule.ts';
import type { StateTables } from '../constructs/state-tables.ts';
import { WorkQueue } from '../constructs/work-queue.ts';
import { workQueueEnvironment } from '../constructs/work-queue-environment.ts';

/** After 35 seconds a look leaves the rest to the next one. The last delivery may take ten more, and what it told is removed after it. */
const TIMEOUT_SECONDS = 60;
/** Two of three periods of five minutes: a receiver may be restarted. */
const LASTING = { bad: 2, of: 3 };
/** Groups wait for five minutes at most. */
const BEHIND_SECONDS = 900;
const FOLDER = 'event-sender';

const named = (sink: FunctionSink) => ({ ...sink, name: sinkNameOf(new URL(sink.url).hostname, sink.url) });

const stored = ({ name, url, isGrouped, keySecretArn }: ReturnType<typeof named>): StoredSink => ({
  name,
  url,
  isGrouped,
  ...(keySecretArn === undefined ? {} : { keySecretArn }),
});

/** The variable of a function that stores events for the sinks; `undefined`: there are none. */
export const eventFilterEnvironment = (sender: EventSender | undefined) => ({
  EVENT_FILTERS: sender?.filters ?? 'none',
});

/** Sends events to the URLs of the settings. A rule looks each minute for what waits, in case a message was lost. */
export class EventSender extends Construct {
  readonly queue: WorkQueue;
  /** Names and filters, for the functions that store events. */
  readonly filters: string;
  readonly #tables: StateTables;

  constructor(scope: Construct, id: string, props: ControlPlaneProps) {
    super(scope, id);
    const { configuration, tables, monitoring, deadLetters } = props;
    const sinks = configuration.eventSinks.map(named);
    this.#tables = tables;
    this.filters = writeSinkFilters(sinks);
    this.queue = new WorkQueue(this, 'Looks', {
      name: FOLDER,
      timeoutSeconds: TIMEOUT_SECONDS,
      deadLetters,
      serves: [SINK_LOOKS],
    });

    const fn = new ControlPlaneFunction(this, 'Function', {
      name: FOLDER,
      code: functionCode(FOLDER),
      env: EventSenderEnv,
      environment: {
        ...tables.environment,
        CLUSTER_ID: configuration.clusterId,
        EVENT_SINKS: JSON.stringify(sinks.map(stored)),
        ...workQueueEnvironment(this, [this.queue], [this.queue]),
      },
      timeout: Duration.seconds(TIMEOUT_SECONDS),
      configuration,
    });

    tables.grant(fn.function, 'sendEvents', 'sightings');
    this.queue.letSend(fn);
    this.#readSecrets(fn.function, sinks);
    this.queue.deliverTo(fn, { batchSize: 5, maxConcurrency: 4 });
    runOnSchedules(this, fn, deadLetters, { EveryMinute: { everyMinutes: 1 } });

    monitoring.addRow(fn, this.queue.metrics);
    this.#addAlarms({ monitoring });
  }

  /** Lets a function store events for the sinks. */
  letStore(fn: ControlPlaneFunction<EnvSchema>): void {
    this.#tables.grant(fn.function, 'storeEvents');
    this.queue.letSend(fn);
  }

  #readSecrets(fn: LambdaFunction, sinks: readonly FunctionSink[]): void {
    const arns = new Set(sinks.flatMap(({ keySecretArn }) => keySecretArn ?? []));
    if (arns.size === 0) return;
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [...arns] }),
    );
  }

  #addAlarms({ monitoring }: Pick<ControlPlaneProps, 'monitoring'>): void {
    const { oldest, dropped } = EVENT_SENDER_METRICS;
    monitoring.addAlarm('event-sink-behind', {
      metric: emittedMetric(this, { service: FOLDER, metric: oldest, statistic: 'Maximum' }),
      threshold: BEHIND_SECONDS,
      periods: LASTING,
      description: 'Events have waited for a quarter of an hour for a URL that should get them.',
    });
    monitoring.addAlarm('event-sink-dropped', {
      metric: emittedMetric(this, { service: FOLDER, metric: dropped, statistic: 'Sum' }),
      threshold: 1,
      description: 'Events were dropped because too many waited for a URL.',
    });
  }
}
