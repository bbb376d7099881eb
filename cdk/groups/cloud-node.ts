import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { CLOUD_NODE_METRICS } from '../../lambdas/cloud-node/metrics.ts';
import { groupOf } from '../../lambdas/groups.ts';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import { cloudEnvironment } from '../../shared/settings/aws/controller-env.ts';
import { CLOUD_EVENTS } from '../../shared/settings/events/cloud-events.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { emittedMetric } from '../constructs/monitoring.ts';
import { ofCluster } from '../constructs/of-cluster.ts';
import type { Extended, Extra } from './extra.ts';

/** Two of three periods of five minutes: a provider may be out of reach for a moment. */
const LASTING = { bad: 2, of: 3 };

const allow = ({ fn }: Extended, statement: PolicyStatement): void => fn.function.addToRolePolicy(statement);

const useEc2 = (scope: Construct, props: Extended): void => {
  const { fn, queue } = props;
  allow(props, new PolicyStatement({ actions: ['ec2:DescribeInstances'], resources: ['*'] }));
  const groups = Stack.of(scope).formatArn({
    service: 'autoscaling',
    resource: 'autoScalingGroup',
    resourceName: '*:autoScalingGroupName/*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  allow(
    props,
    new PolicyStatement({
      actions: ['autoscaling:CompleteLifecycleAction', 'autoscaling:RecordLifecycleActionHeartbeat'],
      resources: [groups],
      conditions: ofCluster(props),
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
    new Rule(scope, `On-${name}`, {
      description: `Rollcall: ${type}`,
      eventPattern: { source: [source], detailType: [type] },
      targets: [new SqsQueue(queue.queue)],
    });
};

const callsWebhooks = ({ cloud, outOfService }: Configuration): boolean =>
  cloud?.provider === 'webhook' || outOfService.fencingUrl !== undefined;

const ALARMS = {
  'cloud-not-believed': {
    metric: CLOUD_NODE_METRICS.distrusted,
    description: 'The cloud provider does not find machines, and is not believed: no Node is deleted for it.',
  },
  'cloud-unanswered': {
    metric: CLOUD_NODE_METRICS.unanswered,
    description: 'The cloud provider could not answer about machines.',
  },
  'fencing-failed': {
    metric: CLOUD_NODE_METRICS.unfenced,
    description: 'The service that switches machines off could not be asked.',
  },
} as const;

const addAlarms = (scope: Construct, { monitoring }: Extended): void => {
  for (const [section, { metric, description }] of Object.entries(ALARMS))
    monitoring.addAlarm(section, {
      metric: emittedMetric(scope, { service: groupOf('cloud-node'), metric, statistic: 'Sum' }),
      threshold: 1,
      periods: LASTING,
      description,
    });
};

/** The variables of the group `cloud`. */
export const cloudGroupEnvironment: NonNullable<Extra['environment']> = ({ configuration }) => ({
  ...cloudEnvironment(configuration),
  CLUSTER_ID: configuration.clusterId,
  VOLUME_ATTACHER: configuration.volumeAttacher,
});

/** cloud-node hears what EC2 says about machines, asks it, and may read the token of webhooks. */
export const cloudNodeExtra: Extra = {
  environment: cloudGroupEnvironment,
  add: (scope, props) => {
    const { configuration } = props;
    if (configuration.cloud?.provider === 'ec2') useEc2(scope, props);
    const { webhookTokenSecretArn: secret } = configuration;
    if (secret !== undefined && callsWebhooks(configuration))
      allow(props, new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret] }));
    addAlarms(scope, props);
  },
};
