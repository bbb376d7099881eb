import { describe, expect, it } from 'vitest';
import { type CloudEvent, wordsOf } from '../../../../shared/rules/cloud/cloud-notice.ts';

const TIME = '2026-01-06T00:00:00Z';
const SAID_AT = Date.parse(TIME);

const event = (source: string, type: string, detail: CloudEvent['detail']): CloudEvent => ({
  id: 'e1',
  source,
  'detail-type': type,
  time: TIME,
  detail,
});

const STATE = 'EC2 Instance State-change Notification';
const health = (more: object) =>
  event('aws.health', 'AWS Health Event', {
    service: 'EC2',
    eventTypeCategory: 'scheduledChange',
    startTime: 'Tue, 06 Jan 2026 12:00:00 GMT',
    affectedEntities: [{ entityValue: 'i-1' }, { entityValue: 'i-2' }, { entityValue: 'vol-3' }],
    ...more,
  });
const hook = (LifecycleTransition: string) =>
  event('aws.autoscaling', 'EC2 Instance-terminate Lifecycle Action', {
    LifecycleTransition,
    EC2InstanceId: 'i-1',
    LifecycleActionToken: 't',
    AutoScalingGroupName: 'g',
    LifecycleHookName: 'h',
  });

const leaves = (instance: string, notice: string, more: object = {}) => ({
  says: 'leaves',
  instance,
  notice,
  id: 'e1',
  ...more,
});

const scheduled = (instance: string, more: object = {}) => ({
  says: 'scheduled',
  instance,
  id: 'e1',
  saidAt: SAID_AT,
  isOver: false,
  ...more,
});

describe('events of AWS (J-79)', () => {
  const NOON = SAID_AT + 12 * 3_600_000;
  const rows: readonly [string, CloudEvent, readonly object[]][] = [
    [
      'a change of state',
      event('aws.ec2', STATE, { 'instance-id': 'i-1', state: 'terminated' }),
      [{ says: 'state', instance: 'i-1', state: 'terminated' }],
    ],
    ['a state that nobody knows', event('aws.ec2', STATE, { 'instance-id': 'i-1', state: 'odd' }), []],
    ['a change of no instance', event('aws.ec2', STATE, { state: 'terminated' }), []],
    [
      'the end of a Spot instance, in two minutes',
      event('aws.ec2', 'EC2 Spot Instance Interruption Warning', { 'instance-id': 'i-1' }),
      [leaves('i-1', 'spot', { goesAt: SAID_AT + 120_000 })],
    ],
    [
      'a recommendation to rebalance',
      event('aws.ec2', 'EC2 Instance Rebalance Recommendation', { 'instance-id': 'i-1' }),
      [leaves('i-1', 'rebalance')],
    ],
    [
      'maintenance of two instances',
      health({}),
      [scheduled('i-1', { startsAt: NOON }), scheduled('i-2', { startsAt: NOON })],
    ],
    [
      'maintenance that is over or cancelled, by the name of its change',
      health({ statusCode: 'closed', eventArn: 'arn', affectedEntities: [{ entityValue: 'i-1' }] }),
      [scheduled('i-1', { id: 'arn', startsAt: NOON, isOver: true })],
    ],
    [
      'maintenance at an unknown time',
      health({ startTime: '', affectedEntities: [{ entityValue: 'i-1' }] }),
      [scheduled('i-1')],
    ],
    ['an issue', health({ eventTypeCategory: 'issue' }), []],
    ['maintenance of another service', health({ service: 'RDS' }), []],
    [
      'an Auto Scaling group that ends an instance',
      hook('autoscaling:EC2_INSTANCE_TERMINATING'),
      [
        leaves('i-1', 'lifecycle', {
          goesAt: SAID_AT + 3_600_000,
          action: { group: 'g', hook: 'h', token: 't' },
        }),
      ],
    ],
    ['an Auto Scaling group that begins an instance', hook('autoscaling:EC2_INSTANCE_LAUNCHING'), []],
    ['an event of somebody else', event('my.app', STATE, { 'instance-id': 'i-1', state: 'terminated' }), []],
  ];
  it.each(rows)('%s', (_, given, expected) => {
    expect(wordsOf(given)).toEqual(expected);
  });
});
