import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { cliToken, must, profile } from '../support/deployment.ts';
import { heartbeats } from '../support/inspection.ts';
import { startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

const sqs = new SQSClient({});
const admin = cliToken('--admin');
/** For each step: an emulator may take seconds for one. */
const WITHIN_MS = 120_000;
const NAME = `${profile.stackName}-workloads`;
/** What a queue is made with; SQS computes the others. */
const GIVEN = ['VisibilityTimeout', 'MessageRetentionPeriod', 'RedrivePolicy', 'Policy'];
/** Hides what arrives from the queue's poller, so that the test sees it. */
const HIDDEN = { DelaySeconds: '900' };

const attributesOf = async (QueueUrl: string): Promise<Readonly<Record<string, string>>> => {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return Attributes;
};

const pod = (name: string, nodeName: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
});

const PODS = '/api/v1/namespaces/default/pods';

it('a queue that is gone keeps no other receiver from a change, and gets its message when it is back', async () => {
  const { QueueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName: NAME }));
  const attributes = await attributesOf(QueueUrl);
  const Attributes = Object.fromEntries(
    GIVEN.flatMap((name) => (attributes[name] === undefined ? [] : [[name, attributes[name]]])),
  );
  const machine = await startMachine(admin, 'broken-queue', 'zone-broken-queue', 'lease');
  const work = async (): Promise<number> =>
    (await heartbeats.read({ namespace: 'kube-node-lease', name: machine.name }))?.workRevision ?? 0;

  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  const before = await work();
  await must({ method: 'POST', path: PODS, token: admin, body: pod('broken-queue', machine.name) });
  // The work revision is raised by the same batch that cannot be sent to the queue.
  await eventually('the node has work', WITHIN_MS, async () => (await work()) > before);
  // Other changes of the node, such as the loss of a taint, raise it, too: those of the same batch come at once, while a repetition comes after each wait of the event source.
  const raised = await eventually('the work revision stays for a second', WITHIN_MS, async () => {
    const seen = await work();
    await wait(1_000);
    return (await work()) === seen && seen;
  });

  await sqs.send(new CreateQueueCommand({ QueueName: NAME, Attributes: { ...Attributes, ...HIDDEN } }));
  await eventually('the message arrives', WITHIN_MS, async () => {
    const { ApproximateNumberOfMessagesDelayed: hidden } = await attributesOf(QueueUrl);
    return Number(hidden) > 0;
  });
  // The batch was repeated for the queue alone.
  expect(await work()).toBe(raised);

  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { DelaySeconds: '0' } }));
  await must({ method: 'DELETE', path: `${PODS}/broken-queue?gracePeriodSeconds=0`, token: admin });
  await machine.leave();
});
