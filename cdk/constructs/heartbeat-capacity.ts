import { Duration, Stack } from 'aws-cdk-lib';
import { PredefinedMetric, ScalableTarget, ServiceNamespace } from 'aws-cdk-lib/aws-applicationautoscaling';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  type CapacityUnits,
  MOST_TIMES,
  TARGET_PERCENT,
} from '../../shared/settings/aws/heartbeat-capacity.ts';
import type { Monitoring } from './monitoring.ts';

export interface HeartbeatCapacityProps {
  readonly tableName: string;
  readonly capacity: CapacityUnits;
  readonly monitoring: Monitoring;
}

/** Two of three minutes: auto scaling takes minutes, and nodes are Unknown after a grace period. */
const LASTING = { bad: 2, of: 3 };

/** The role that AWS makes for itself. */
const scalingRole = (scope: Construct) =>
  Role.fromRoleArn(
    scope,
    'Role',
    Stack.of(scope).formatArn({
      service: 'iam',
      region: '',
      resource: 'role/aws-service-role/dynamodb.application-autoscaling.amazonaws.com',
      resourceName: 'AWSServiceRoleForApplicationAutoScaling_DynamoDBTable',
    }),
    { mutable: false },
  );

/** Lets the provisioned units of the table of heartbeats follow what is used, and tells when they are too few. */
export class HeartbeatCapacity extends Construct {
  constructor(scope: Construct, id: string, { tableName, capacity, monitoring }: HeartbeatCapacityProps) {
    super(scope, id);
    const { writes, reads } = capacity;
    const role = scalingRole(this);
    const dimensions = [
      ['Write', writes, PredefinedMetric.DYNAMODB_WRITE_CAPACITY_UTILIZATION],
      ['Read', reads, PredefinedMetric.DYNAMODB_READ_CAPACITY_UTILIZATION],
    ] as const;
    for (const [name, least, predefinedMetric] of dimensions)
      new ScalableTarget(this, name, {
        serviceNamespace: ServiceNamespace.DYNAMODB,
        resourceId: `table/${tableName}`,
        scalableDimension: `dynamodb:table:${name}CapacityUnits`,
        minCapacity: least,
        maxCapacity: MOST_TIMES * least,
        role,
      }).scaleToTrackMetric('Used', { predefinedMetric, targetValue: TARGET_PERCENT });
    monitoring.addAlarm('heartbeats-table-throttled', {
      metric: new Metric({
        namespace: 'AWS/DynamoDB',
        metricName: 'WriteThrottleEvents',
        dimensionsMap: { TableName: tableName },
        statistic: 'Sum',
        period: Duration.minutes(1),
      }),
      threshold: 1,
      periods: LASTING,
      description:
        'Heartbeats are not stored: the table has too little provisioned capacity, and nodes that live become Unknown.',
    });
  }
}
