import { isDeepStrictEqual } from 'node:util';
import { DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDocumentClient } from '../../../shared/adapters/dynamodb/table/client.ts';
import { TABLES } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { cliToken, must, output, profile } from '../support/deployment.ts';
import { heartbeats, tables } from '../support/inspection.ts';
import { startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

const sqs = new SQSClient({});
const admin = cliToken('--admin');
const ALL = ['All' as const];

const queueUrl = async (name: string): Promise<string> => {
  const { QueueUrl = '' } = await sqs.send(
    new GetQueueUrlCommand({ QueueName: `${profile.stackName}-${name}` }),
  );
  return QueueUrl;
};

const attributes = async (url: string): Promise<Readonly<Record<string, string>>> =>
  (await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ALL }))).Attributes ?? {};

const depth = async (url: string): Promise<number> => {
  const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: hidden } =
    await attributes(url);
  return Number(visible ?? 0) + Number(hidden ?? 0);
};

const visibility = (url: string, seconds: string): Promise<unknown> =>
  sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { VisibilityTimeout: seconds } }));

describe('a poison message', () => {
  it('ends in the dead-letter queue, also after a redrive, while good messages are handled', async () => {
    const url = await queueUrl('volumes');
    const dead = await queueUrl('dead-letters');
    const { VisibilityTimeout: usual = '30' } = await attributes(url);
    const send = (body: string) => sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }));
    // It does not say whom it is for, so the first controller of the group gets it.
    const good = JSON.stringify({ v: 1, kind: 'change' });
    const become = async (what: string, ...depths: readonly [waiting: number, buried: number]) => {
      let seen: readonly number[] = [];
      const look = async (): Promise<boolean> => {
        seen = await Promise.all([depth(url), depth(dead)]);
        return isDeepStrictEqual(seen, depths);
      };
      await eventually(what, 60_000, look, () => seen);
    };
    await visibility(url, '1');
    // It ends the poll that goes on: that one hides its messages for as long as the queue did when it began.
    await send(good);
    await become('the good message handled', 0, 0);
    for (const body of ['not json', JSON.stringify({ v: 99 }), good]) await send(body);
    await become('two messages in the dead-letter queue', 0, 2);
    const { QueueArn: source } = await attributes(dead);
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: source }));
    await become('both waiting again', 2, 0);
    await become('both back in the dead-letter queue', 0, 2);
    await visibility(url, usual);
  });
});

describe('the tables', () => {
  it('expire their rows by the attributes of the schema', async () => {
    const client = createDocumentClient();
    for (const name of ['objects', 'changes', 'heartbeats', 'control'] as const) {
      const { TimeToLiveDescription: ttl } = await client.send(
        new DescribeTimeToLiveCommand({ TableName: tables[name] }),
      );
      expect(ttl).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: TABLES[name].ttl });
    }
  });

  it('keep a heartbeat item for a day after the last heartbeat', async () => {
    await must({
      method: 'POST',
      path: '/api/v1/nodes',
      token: admin,
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'ttl-1' } },
    });
    await must({
      method: 'POST',
      path: '/apis/rollcall.dev/v1/nodes/ttl-1/heartbeat',
      token: admin,
      on: 'HeartbeatUrl',
    });
    const item = await heartbeats.read({ namespace: 'kube-node-lease', name: 'ttl-1' });
    const keptMs = (item?.expiresAt ?? 0) - (item?.observedAt ?? 0);
    expect(Math.abs(keptMs - 24 * 3_600_000)).toBeLessThanOrEqual(1_000);
    await must({ method: 'DELETE', path: '/api/v1/nodes/ttl-1', token: admin });
  });
});

describe('the event bus', () => {
  let queueUrl = '';

  beforeAll(async () => {
    const created = await sqs.send(new CreateQueueCommand({ QueueName: 'lifecycle-events' }));
    queueUrl = created.QueueUrl ?? '';
    const bus = output('LifecycleEventBusName');
    const events = new EventBridgeClient({});
    const rule = { Name: 'all', EventBusName: bus };
    await events.send(
      new PutRuleCommand({ ...rule, EventPattern: JSON.stringify({ source: ['rollcall'] }) }),
    );
    const { QueueArn: arn = '' } = await attributes(queueUrl);
    await events.send(
      new PutTargetsCommand({ Rule: 'all', EventBusName: bus, Targets: [{ Id: 'queue', Arn: arn }] }),
    );
  });

  it('carries the lifecycle events of a node, each with an id for ordering and deduplication', async () => {
    const seen: { 'detail-type': string; detail: { id: string } }[] = [];
    const take = async (): Promise<void> => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
      );
      for (const { Body, ReceiptHandle } of Messages) {
        seen.push(JSON.parse(Body ?? '{}'));
        await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
      }
    };
    const machine = await startMachine(admin, 'bus-1', 'zone-bus', 'plain');
    const arrives = (type: string) =>
      eventually(
        `${type} of the node`,
        // The first pass runs up to a minute after the deploy.
        profile.graceMs + 70_000,
        async () => {
          await take();
          return seen.find(
            (event) => event['detail-type'] === type && event.detail.id.startsWith(machine.uid),
          );
        },
        () => seen.map((event) => event['detail-type']),
      );
    const { detail } = await arrives('NodeReady');
    expect(detail.id).toMatch(/^[0-9a-f-]{36}\/\d+$/);
    machine.silence();
    await arrives('NodeNotReady');
    await machine.leave();
  });
});
