import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { nodeIpam } from '../../lambdas/node-ipam/controller.ts';
import { NodeIpamEnv } from '../../lambdas/node-ipam/env.ts';
import { NODE_IPAM_METRICS } from '../../lambdas/node-ipam/metrics.ts';
import { nodeIpamEnvironment } from '../../shared/settings/aws/env.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** After ten seconds a run queues the rest as a new message. The first run after a change of settings enters all Nodes. */
const TIMEOUT = Duration.seconds(120);

/** Gives Nodes their podCIDRs. A rule sweeps for Nodes and blocks whose message was lost. */
export class NodeIpam extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    const isOn = enabled && configuration.nodeIpam !== undefined;
    this.queue = new WorkQueue(this, 'Work', { name: nodeIpam.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: nodeIpam.name,
      env: NodeIpamEnv,
      environment: {
        ...tables.environment,
        ...nodeIpamEnvironment(configuration),
        NODE_IPAM_QUEUE_URL: this.queue.url,
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'listObjects', 'nodeHealth', 'addresses', 'writeObject');
    this.queue.letSend(fn);

    // While it is off, it takes the messages, too: it has to note that Nodes came and went.
    this.queue.deliverTo(fn, { batchSize: 10, maxConcurrency: 2, enabled });
    runOnSchedule(this, 'Sweep', fn, {
      ...nodeIpam.schedules.addressSweep,
      enabled: isOn,
      deadLetters: this.queue.deadLetters,
    });

    monitoring.addController(fn, this.queue);
    if (isOn) this.#addAlarm({ monitoring });
  }

  #addAlarm({ monitoring }: Pick<ControlPlaneProps, 'monitoring'>): void {
    monitoring.addAlarm('cidrs-exhausted', {
      metric: new Metric({
        namespace: Stack.of(this).stackName,
        metricName: NODE_IPAM_METRICS.waiting.name,
        dimensionsMap: { service: nodeIpam.name },
        statistic: 'Maximum',
        // Longer than the time between two sweeps, which report it.
        period: Duration.minutes(30),
      }),
      threshold: 1,
      description: 'Nodes wait for a podCIDR: the cluster CIDR has no free block.',
    });
  }
}
