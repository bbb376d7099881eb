import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { volumeAttacher } from '../../lambdas/volume-attacher/controller.ts';
import { VolumeAttacherEnv } from '../../lambdas/volume-attacher/env.ts';
import { VOLUME_ATTACHER_METRICS } from '../../lambdas/volume-attacher/metrics.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { ofCluster } from '../constructs/of-cluster.ts';
import { runOnSchedule } from '../constructs/run-on-schedule.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

/** Four requests to EC2 of eight seconds, and a turn that somebody has left. */
const TIMEOUT = Duration.seconds(90);
/** Two of three periods of five minutes: a machine may have to unmount first. */
const LASTING = { bad: 2, of: 3 };

/** Attaches and detaches EBS volumes, in the place of an external-attacher. */
export class VolumeAttacher extends Construct {
  readonly queue: WorkQueue;

  constructor(scope: Construct, id: string, { configuration, tables, monitoring }: ControlPlaneProps) {
    super(scope, id);
    const enabled = configuration.controllers === 'all';
    const isOn = enabled && configuration.volumeAttacher === 'ebs';
    this.queue = new WorkQueue(this, 'Work', { name: volumeAttacher.queue.name, functionTimeout: TIMEOUT });

    const fn = new ControlPlaneFunction(this, 'Function', {
      folder: volumeAttacher.name,
      env: VolumeAttacherEnv,
      environment: {
        ...tables.environment,
        CLUSTER_ID: configuration.clusterId,
        VOLUME_ATTACHER: configuration.volumeAttacher,
        VOLUME_ATTACHER_QUEUE_URL: this.queue.url,
      },
      timeout: TIMEOUT,
      configuration,
    });

    tables.grant(fn.function, 'readObject', 'listObjects', 'sightings', 'takeTurns', 'writeObject');
    this.queue.letSend(fn);

    // Also without EBS: the change router sends messages, which then do nothing.
    this.queue.deliverTo(fn, { batchSize: 1, maxConcurrency: 10, enabled });
    runOnSchedule(this, 'EachHour', fn, {
      ...volumeAttacher.schedules['volume-attacher-sweep'],
      enabled: isOn,
      deadLetters: this.queue.deadLetters,
    });
    monitoring.addController(fn, this.queue);
    if (!isOn) return;
    this.#useEbs(fn, { configuration });
    this.#addAlarm({ monitoring });
  }

  #useEbs(
    fn: ControlPlaneFunction<typeof VolumeAttacherEnv>,
    { configuration }: Pick<ControlPlaneProps, 'configuration'>,
  ): void {
    const arn = (resource: string): string =>
      Stack.of(this).formatArn({ service: 'ec2', resource, resourceName: '*' });
    fn.function.addToRolePolicy(
      new PolicyStatement({ actions: ['ec2:DescribeInstances', 'ec2:DescribeVolumes'], resources: ['*'] }),
    );
    fn.function.addToRolePolicy(
      new PolicyStatement({
        actions: ['ec2:AttachVolume', 'ec2:DetachVolume'],
        resources: [arn('instance'), arn('volume')],
        conditions: ofCluster({ configuration }),
      }),
    );
    acknowledge(
      fn,
      'AwsSolutions-IAM5[Resource::*]',
      'DescribeInstances and DescribeVolumes do not support resource-level permissions',
    );
    for (const resource of ['instance', 'volume'])
      acknowledge(
        fn,
        `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ec2:<AWS::Region>:<AWS::AccountId>:${resource}/*]`,
        'Volumes and instances are named by PersistentVolumes and Nodes: nobody knows them when the stack is made',
      );
  }

  #addAlarm({ monitoring }: Pick<ControlPlaneProps, 'monitoring'>): void {
    monitoring.addAlarm('volumes-stuck', {
      metric: new Metric({
        namespace: Stack.of(this).stackName,
        metricName: VOLUME_ATTACHER_METRICS.failed.name,
        dimensionsMap: { service: volumeAttacher.name },
        statistic: 'Sum',
        period: Duration.minutes(5),
      }),
      threshold: 1,
      periods: LASTING,
      description: 'An EBS volume could not be attached or detached.',
    });
  }
}
