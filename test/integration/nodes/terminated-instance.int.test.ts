/** An instance is terminated: its Node goes within seconds, and its pods stand elsewhere, as a real kubectl sees it. */
import { EC2Client, RunInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLOUD_EVENTS } from '../../../shared/settings/events/cloud-events.ts';
import { hasKubectl } from '../../support/shell/kubectl.ts';
import { type DeployedStage, openStage } from '../support/stage.ts';
import { eventually } from '../support/wait.ts';

const NAME = 'terminated';
const NODES = ['terminated-1', 'terminated-2'] as const;
const TEST_MS = 600_000;
const WITHIN_MS = 120_000;
const ec2 = new EC2Client({});
const events = new EventBridgeClient({});
let stage: DeployedStage;

const WORKLOAD = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ${NAME}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      schedulerName: rollcall
      nodeSelector: {terminated: here}
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: ScheduleAnyway
        labelSelector: {matchLabels: {app: web}}
      containers: [{name: app, image: image:1}]
`;

/** LocalStack's EC2 keeps instances, but runs none. */
const giveInstance = async (node: string): Promise<string> => {
  const { Instances = [] } = await ec2.send(
    new RunInstancesCommand({ ImageId: 'ami-12345678', InstanceType: 't3.micro', MinCount: 1, MaxCount: 1 }),
  );
  const [{ InstanceId = '', Placement } = {}] = Instances;
  await stage.call('PATCH', `/api/v1/nodes/${node}`, {
    spec: { providerID: `aws:///${Placement?.AvailabilityZone}/${InstanceId}` },
  });
  return InstanceId;
};

/** It tells nobody what happens to them either: the test puts EC2's event. */
const terminate = async (instance: string): Promise<void> => {
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [instance] }));
  const { source, type } = CLOUD_EVENTS.state;
  const Detail = JSON.stringify({ 'instance-id': instance, state: 'terminated' });
  await events.send(new PutEventsCommand({ Entries: [{ Source: source, DetailType: type, Detail }] }));
};

const placesOfRunning = async (): Promise<readonly string[]> => {
  const running = '{range .items[?(@.status.phase=="Running")]}{.spec.nodeName}{"\\n"}{end}';
  const places = await stage.kubectl(['get', 'pods', '-n', NAME, '-o', `jsonpath=${running}`]);
  return places.trim().split('\n').toSorted();
};

const run = (...places: readonly string[]) =>
  eventually(`pods run on ${places.join(', ')}`, WITHIN_MS, async () =>
    (await placesOfRunning()).join() === places.join() ? true : undefined,
  );

beforeAll(async () => {
  if (!hasKubectl) return;
  stage = await openStage();
  await stage.addNamespace(NAME);
  await stage.addNodes([...NODES], { terminated: 'here' });
}, TEST_MS);

afterAll(async () => {
  if (!hasKubectl) return;
  await stage.call('DELETE', `/api/v1/namespaces/${NAME}`);
  await stage.call('DELETE', `/api/v1/nodes/${NODES[1]}`);
  await stage.stop();
}, TEST_MS);

if (!hasKubectl) process.stdout.write('skipped: an instance by kubectl: this machine has no kubectl\n');

describe.skipIf(!hasKubectl)('a terminated instance', () => {
  it(
    'takes its Node along, and its pods stand elsewhere (J-70)',
    async () => {
      const [instance] = [await giveInstance(NODES[0]), await giveInstance(NODES[1])];
      await stage.kubectl(['create', '-f', '-'], WORKLOAD);
      await run(...NODES);
      stage.silence(NODES[0]);
      const began = Date.now();
      await terminate(instance);
      await stage.kubectl(['wait', '--for=delete', `node/${NODES[0]}`, '--timeout', '120s']);
      process.stdout.write(`a Node on LocalStack was gone ${Date.now() - began} ms after the cloud's word\n`);
      await run(NODES[1], NODES[1]);
      await expect(stage.kubectl(['get', 'node', NODES[0]])).rejects.toThrow('NotFound');
    },
    TEST_MS,
  );
});
