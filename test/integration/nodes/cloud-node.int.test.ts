import { EC2Client, RunInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { beforeAll, expect, it } from 'vitest';
import { NODE_TAG } from '../../../shared/adapters/ec2/node-name.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import { drainRequestOf } from '../../../shared/rules/drain/node-drain.ts';
import { CLOUD_EVENTS, type CloudEventName } from '../../../shared/settings/events/cloud-events.ts';
import { call, cliToken, must } from '../support/deployment.ts';
import { eventually } from '../support/wait.ts';

const NODES = '/api/v1/nodes';
const admin = cliToken('--admin');
const ec2 = new EC2Client({});
const events = new EventBridgeClient({});
/** From the cloud's word to the end of the Node, ms. */
const SOON_MS = 10_000;
const WITHIN_MS = 60_000;

const WAITS = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };

interface Made {
  readonly instance: string;
  readonly zone: string;
}

/** The Node, and the tag by which its instance names it. */
const NAME = 'cloud-1';

/** EC2 of LocalStack keeps instances, but runs none and tells no events: those are put by hand. */
const runInstance = async (): Promise<Made> => {
  const { Instances = [] } = await ec2.send(
    new RunInstancesCommand({
      ImageId: 'ami-12345678',
      InstanceType: 't3.micro',
      MinCount: 1,
      MaxCount: 1,
      TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: NODE_TAG, Value: NAME }] }],
    }),
  );
  const [{ InstanceId: instance = '', Placement } = {}] = Instances;
  return { instance, zone: Placement?.AvailabilityZone ?? '' };
};

const addNode = (name: string, { instance, zone }: Made) =>
  must({
    method: 'POST',
    path: NODES,
    token: admin,
    body: {
      metadata: { name },
      spec: { providerID: `aws:///${zone}/${instance}`, taints: [WAITS] },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Test', message: 'test' }] },
    },
  });

const read = (name: string) => must<Node>({ method: 'GET', path: `${NODES}/${name}`, token: admin });

const isGone = async (name: string): Promise<boolean> =>
  (await call({ method: 'GET', path: `${NODES}/${name}`, token: admin })).status === 404;

const say = async (event: CloudEventName, detail: object): Promise<void> => {
  const { source, type } = CLOUD_EVENTS[event];
  const entry = { Source: source, DetailType: type, Detail: JSON.stringify(detail) };
  const { FailedEntryCount } = await events.send(new PutEventsCommand({ Entries: [entry] }));
  expect(FailedEntryCount).toBe(0);
};

const initialised = (name: string) =>
  eventually(
    `${name} is initialised`,
    WITHIN_MS,
    async () => (await read(name)).metadata.labels?.['node.kubernetes.io/instance-type'] === 't3.micro',
  );

let made: Made;

beforeAll(async () => {
  made = await runInstance();
  await addNode(NAME, made);
});

it('a new Node gets what EC2 knows about its instance (J-74)', async () => {
  await initialised(NAME);
  const node = await read(NAME);
  expect(node.metadata.labels).toMatchObject({ 'topology.kubernetes.io/zone': made.zone });
  expect(node.spec?.taints?.some(({ key }) => key === WAITS.key) ?? false).toBe(false);
  expect(node.status?.addresses?.some(({ type }) => type === 'InternalIP')).toBe(true);
});

it('a Spot instance that is interrupted has its node drained (J-81)', async () => {
  await initialised(NAME);
  await say('spot', { 'instance-id': made.instance, 'instance-action': 'terminate' });
  await eventually('the drain is asked for', SOON_MS, async () => {
    const node = await read(NAME);
    return node.spec?.unschedulable === true && drainRequestOf(node)?.by === 'cloud-node';
  });
});

it('a terminated instance takes its Node along within ten seconds (J-70)', async () => {
  await initialised(NAME);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [made.instance] }));
  await say('state', { 'instance-id': made.instance, state: 'terminated' });
  await eventually('the Node is gone', SOON_MS, () => isGone(NAME));
});
