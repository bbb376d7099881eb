import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { NodeMonitorEnv } from '../../lambdas/node-monitor/env.ts';
import { nodeLifecycleEnvironment } from '../../shared/config/env.ts';
import { ControlPlaneFunction } from './control-plane-function.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';
import { WorkQueue } from './work-queue.ts';

export interface NodeMonitorProps extends ControlPlaneProps {
  readonly evictionWakeups: WorkQueue;
}

/**
 * The lease of a pass lasts equally long, so that an interrupted pass does not block the next ones for longer than
 * this.
 */
const TIMEOUT = Duration.seconds(10);

/** Runs a health pass for each tick. A rule queues the ticks of the next two minutes every minute. */
export class NodeMonitor extends Construct {
  readonly ticks: WorkQueue;

  constructor(scope: Construct, id: string, props: NodeMonitorProps) {
    super(scope, id);
    const { configuration, tables, evictionWakeups, monitoring } = props;
    const enabled = configuration.controllers === 'all';
    this.ticks = new WorkQueue(this, 'Ticks', { name: 'node-monitor-ticks', functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: 'node-monitor',
      env: NodeMonitorEnv,
      environment: {
        ...tables.environment,
        ...nodeLifecycleEnvironment(configuration.nodeLifecycle),
        NODE_MONITOR_TICKS_QUEUE_URL: this.ticks.url,
        EVICTION_WAKEUPS_QUEUE_URL: evictionWakeups.url,
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'nodeHealth', 'scanHeartbeats', 'readHeartbeat', 'writeObject');
    tables.grant(fn.function, 'runPass', 'readZones', 'writeZones', 'paceZone');
    this.ticks.queue.grantSendMessages(fn.function);
    evictionWakeups.queue.grantSendMessages(fn.function);

    // One tick per batch, so that a due tick does not wait for the pass of another.
    fn.function.addEventSource(this.ticks.source({ batchSize: 1, maxConcurrency: 2, enabled }));
    const minute = new Rule(this, 'EveryMinute', { schedule: Schedule.rate(Duration.minutes(1)), enabled });
    minute.addTarget(new LambdaFunction(fn.function));

    monitoring.addErrorAlarm(fn);
    this.ticks.addDeadLetterAlarm(monitoring, 'node-monitor-ticks-dead-letters');
    if (enabled) {
      monitoring.addAlarm('node-monitor-silent', {
        metric: fn.function.metricInvocations({ period: Duration.minutes(5) }),
        threshold: 1,
        whenBelow: true,
        description: 'No health pass ran for five minutes: silent nodes are not detected.',
      });
    }
    monitoring.addRow(fn, this.ticks.metrics);
  }
}
