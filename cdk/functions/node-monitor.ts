import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { nodeMonitor } from '../../lambdas/node-monitor/controller.ts';
import { NodeMonitorEnv } from '../../lambdas/node-monitor/env.ts';
import { NODE_MONITOR_METRICS } from '../../lambdas/node-monitor/metrics.ts';
import { nodeLifecycleEnvironment } from '../../shared/settings/aws/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';
import { type EventSender, eventFilterEnvironment } from './event-sender.ts';

export interface NodeMonitorProps extends ControlPlaneProps {
  readonly evictionWakeups: WorkQueue;
  readonly events: EventBus;
  readonly eventSender: EventSender | undefined;
}

/** The lease of a pass lasts as long, so an interrupted pass does not block the next ones for longer than this. */
const TIMEOUT = Duration.seconds(10);

/** Beyond the period: the rule looks at a steady second of the minute, which may be just before each pass ends. */
const LATE_SECONDS = 60;

/** Runs a health pass for each tick. A rule queues the ticks of the next two minutes every minute. */
export class NodeMonitor extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, props: NodeMonitorProps) {
    super(scope, id);
    const { configuration, tables, evictionWakeups, events, eventSender, monitoring } = props;
    const enabled = configuration.controllers === 'all';
    this.queue = new WorkQueue(this, 'Ticks', {
      name: nodeMonitor.queue.name,
      functionTimeout: TIMEOUT,
    });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: nodeMonitor.name,
      env: NodeMonitorEnv,
      environment: {
        ...tables.environment,
        ...nodeLifecycleEnvironment(configuration.nodeLifecycle),
        NODE_MONITOR_TICKS_QUEUE_URL: this.queue.url,
        EVICTION_WAKEUPS_QUEUE_URL: evictionWakeups.url,
        EVENT_BUS_NAME: events.eventBusName,
        ...eventFilterEnvironment(eventSender),
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(
      fn.function,
      'nodeHealth',
      'scanHeartbeats',
      'readHeartbeat',
      'takeBackBeats',
      'readRelays',
      'writeRelays',
      'writeNode',
    );
    tables.grant(
      fn.function,
      'runPass',
      'readPass',
      'readZones',
      'writeZones',
      'paceZone',
      'listObjects',
      'followLog',
      'sightings',
    );
    events.grantPutEventsTo(fn.function);
    eventSender?.letStore(fn);
    this.queue.letSend(fn);
    evictionWakeups.letSend(fn);

    // One tick per batch, so that a due tick does not wait for the pass of another.
    this.queue.deliverTo(fn, { batchSize: 1, maxConcurrency: 2, enabled });
    runOnSchedule(this, 'EveryMinute', fn, {
      ...nodeMonitor.schedules.ticks,
      enabled,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
    if (enabled) this.#addAlarm(props);
  }

  #addAlarm({ monitoring, configuration }: NodeMonitorProps): void {
    monitoring.addAlarm('node-monitor-silent', {
      // Each run of the rule emits it once. A rule that is dead or fails emits nothing.
      metric: new Metric({
        namespace: Stack.of(this).stackName,
        metricName: NODE_MONITOR_METRICS.lag.name,
        dimensionsMap: { service: nodeMonitor.name },
        statistic: 'Maximum',
        period: Duration.minutes(1),
      }),
      threshold: LATE_SECONDS + configuration.nodeLifecycle.nodeMonitorPeriodMs / 1000,
      periods: { bad: 5, of: 5 },
      missingIsBad: true,
      description: 'No health pass came to its end for five minutes: silent nodes are not detected.',
    });
  }
}
