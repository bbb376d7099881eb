/** Events of AWS about instances. Each is read by `shared/rules/cloud/cloud-notice.ts`, and selected by a rule of EventBridge. */
export const CLOUD_EVENTS = {
  state: { source: 'aws.ec2', type: 'EC2 Instance State-change Notification' },
  spot: { source: 'aws.ec2', type: 'EC2 Spot Instance Interruption Warning' },
  rebalance: { source: 'aws.ec2', type: 'EC2 Instance Rebalance Recommendation' },
  lifecycle: { source: 'aws.autoscaling', type: 'EC2 Instance-terminate Lifecycle Action' },
  health: { source: 'aws.health', type: 'AWS Health Event' },
} as const;

export type CloudEventName = keyof typeof CLOUD_EVENTS;
