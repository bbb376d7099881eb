import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { groupOf } from '../../lambdas/groups.ts';
import { VOLUME_ATTACHER_METRICS } from '../../lambdas/volume-attacher/metrics.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { emittedMetric } from '../constructs/monitoring.ts';
import { ofCluster } from '../constructs/of-cluster.ts';
import { cloudGroupEnvironment } from './cloud-node.ts';
import type { Extended, Extra } from './extra.ts';

/** Two of three periods of five minutes: a machine may have to unmount first. */
const LASTING = { bad: 2, of: 3 };

const useEbs = (scope: Construct, props: Extended): void => {
  const { fn } = props;
  const arn = (resource: string): string =>
    Stack.of(scope).formatArn({ service: 'ec2', resource, resourceName: '*' });
  fn.function.addToRolePolicy(
    new PolicyStatement({ actions: ['ec2:DescribeInstances', 'ec2:DescribeVolumes'], resources: ['*'] }),
  );
  fn.function.addToRolePolicy(
    new PolicyStatement({
      actions: ['ec2:AttachVolume', 'ec2:DetachVolume'],
      resources: [arn('instance'), arn('volume')],
      conditions: ofCluster(props),
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
};

const addAlarm = (scope: Construct, { monitoring }: Extended): void =>
  monitoring.addAlarm('volumes-stuck', {
    metric: emittedMetric(scope, {
      service: groupOf('volume-attacher'),
      metric: VOLUME_ATTACHER_METRICS.failed,
      statistic: 'Sum',
    }),
    threshold: 1,
    periods: LASTING,
    description: 'An EBS volume could not be attached or detached.',
  });

/** volume-attacher attaches and detaches EBS volumes, in the place of an external-attacher. */
export const volumeAttacherExtra: Extra = {
  environment: cloudGroupEnvironment,
  add: (scope, props) => {
    useEbs(scope, props);
    addAlarm(scope, props);
  },
};
