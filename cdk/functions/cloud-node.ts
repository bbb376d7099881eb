import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { cloudNode } from '../../lambdas/cloud-node/controller.ts';
import { CloudNodeEnv } from '../../lambdas/cloud-node/env.ts';
import { CLOUD_NODE_METRICS } from '../../lambdas/cloud-node/metrics.ts';
import { cloudEnvironment } from '../../shared/settings/aws/env.ts';
import { CLOUD_EVENTS } from '../../shared/settings/events/cloud-events.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { ofCluster } from '../constructs/of-cluster.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** A message names up to 100 Nodes. A provider that is throttled may take some ten seconds, and a write four. */
const TIMEOUT = Duration.seconds(60);
/** Two of three periods of five minutes: a provider may be out of reach for a moment. */
const LASTING = { bad: 2, of: 3 };

/** Does to Nodes what the cloud says about their machines: by its events, and by a sweep each minute. */
export class CloudNode extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    const { cloud } = configuration;
    const isOn = enabled && cloud !== undefined;
    const isSwept = isOn || (enabled && configuration.outOfService.policy === 'proven');
    const callsWebhooks =
      cloud?.provider === 'webhook' || configuration.outOfService.fencingUrl !== undefined;
    this.queue = new WorkQueue(this, 'Work', { name: cloudNode.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: cloudNode.name,
      env: CloudNodeEnv,
      environment: {
        ...tables.environment,
        ...cloudEnvironment(configuration),
        CLUSTER_ID: configuration.clusterId,
        CLOUD_NODE_QUEUE_URL: this.queue.url,
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(
      fn.function,
      'nodeHealth',
      'podsByNode',
      'sightings',
      'takeTurns',
      'writeNode',
      'keepClaims',
    );
    this.queue.letSend(fn);

    // Also without a provider: the change router sends messages, which then do nothing.
    this.queue.deliverTo(fn, { batchSize: 10, maxConcurrency: 4, enabled });
    runOnSchedule(this, 'EveryMinute', fn, {
      ...cloudNode.schedules['cloud-node-sweep'],
      enabled: isSwept,
      deadLetters: this.queue.deadLetters,
    });
    if (isOn && cloud.provider === 'ec2') this.#useEc2(fn, { configuration });
    if (callsWebhooks && configuration.webhookTokenSecretArn !== undefined)
      this.#readSecret(fn, configuration.webhookTokenSecretArn);

    monitoring.addController(fn, this.queue);
    if (isSwept) this.#addAlarms({ monitoring });
  }

  #useEc2(
    fn: ControlPlaneFunction<typeof CloudNodeEnv>,
    { configuration }: Pick<ControlPlaneProps, 'configuration'>,
  ): void {
    fn.function.addToRolePolicy(
      new PolicyStatement({ actions: ['ec2:DescribeInstances'], resources: ['*'] }),
    );
    fn.function.addToRolePolicy(
      new PolicyStatement({
        actions: ['autoscaling:CompleteLifecycleAction', 'autoscaling:RecordLifecycleActionHeartbeat'],
        resources: [
          Stack.of(this).formatArn({
            service: 'autoscaling',
            resource: 'autoScalingGroup',
            resourceName: '*:autoScalingGroupName/*',
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ],
        conditions: ofCluster({ configuration }),
      }),
    );
    acknowledge(
      fn,
      'AwsSolutions-IAM5[Resource::*]',
      'DescribeInstances does not support resource-level permissions',
    );
    acknowledge(
      fn,
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:autoscaling:<AWS::Region>:<AWS::AccountId>:autoScalingGroup:*:autoScalingGroupName/*]',
      'The groups are not known: each one whose hook reports an instance that is a Node gets its answer',
    );
    for (const [name, { source, type }] of Object.entries(CLOUD_EVENTS))
      new Rule(this, `On-${name}`, {
        description: `Rollcall: ${type}`,
        eventPattern: { source: [source], detailType: [type] },
        targets: [new SqsQueue(this.queue.queue)],
      });
  }

  #readSecret(fn: ControlPlaneFunction<typeof CloudNodeEnv>, arn: string): void {
    fn.function.addToRolePolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [arn] }),
    );
  }

  #addAlarms({ monitoring }: Pick<ControlPlaneProps, 'monitoring'>): void {
    const metric = ({ name }: { readonly name: string }): Metric =>
      new Metric({
        namespace: Stack.of(this).stackName,
        metricName: name,
        dimensionsMap: { service: cloudNode.name },
        statistic: 'Sum',
        period: Duration.minutes(5),
      });
    monitoring.addAlarm('cloud-not-believed', {
      metric: metric(CLOUD_NODE_METRICS.distrusted),
      threshold: 1,
      periods: LASTING,
      description:
        'The cloud provider does not find machines, and is not believed: no Node is deleted for it.',
    });
    monitoring.addAlarm('cloud-unanswered', {
      metric: metric(CLOUD_NODE_METRICS.unanswered),
      threshold: 1,
      periods: LASTING,
      description: 'The cloud provider could not answer about machines.',
    });
    monitoring.addAlarm('fencing-failed', {
      metric: metric(CLOUD_NODE_METRICS.unfenced),
      threshold: 1,
      periods: LASTING,
      description: 'The service that switches machines off could not be asked.',
    });
  }
}
