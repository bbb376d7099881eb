// Entries that SQS and EventBridge refuse, with clients that answer by themselves; the whole suite where an SQS is given.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import { createEventBus } from '../../../shared/adapters/eventbridge/event-bus.ts';
import { createDeliverAgain } from '../../../shared/adapters/sqs/redelivery.ts';
import { createWorkQueues } from '../../../shared/adapters/sqs/work-queues.ts';
import { handlingMessage } from '../../../shared/adapters/system/message-chain.ts';
import { sqsQueuesAt } from './sqs-queues.ts';
import { workQueuesContract } from './work-queues.contract.ts';

interface Entry {
  readonly Id?: string;
  readonly DelaySeconds?: number;
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly MessageAttributes?: Readonly<Record<string, unknown>>;
  readonly Source?: string;
  readonly DetailType?: string;
  readonly Detail?: string;
}

type Batches = (readonly Entry[])[];

/** The instant of each send. */
const NOW = 1_800_000_000_000;
const SEND = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

const patience = () => {
  const waits: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
  };
  return { waits, deps: { clock: { now: () => NOW, sleep }, ids: { random: () => 1 } } };
};

const entriesIn = (input: object): readonly Entry[] =>
  'Entries' in input && Array.isArray(input.Entries) ? input.Entries : [];

/** Refuses the first entry of each of the first `refusals` calls. */
const sqsThatRefuses = (refusals: number) => {
  const batches: Batches = [];
  const client = new SQSClient(SEND);
  client.middlewareStack.add(
    () => async (args) => {
      const entries = entriesIn(args.input);
      batches.push(entries);
      const Failed = entries
        .slice(0, batches.length > refusals ? 0 : 1)
        .map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false }));
      return { output: { $metadata: {}, Successful: [], Failed }, response: {} };
    },
    { step: 'initialize' },
  );
  return { client, batches };
};

const busThatRefuses = (refusals: number) => {
  const batches: Batches = [];
  const client = new EventBridgeClient(SEND);
  client.middlewareStack.add(
    () => async (args) => {
      const entries = entriesIn(args.input);
      batches.push(entries);
      const isRefusing = batches.length <= refusals;
      const Entries = entries.map((_, n) =>
        isRefusing && n === 0 ? { ErrorCode: 'ThrottlingException' } : {},
      );
      return { output: { $metadata: {}, FailedEntryCount: isRefusing ? 1 : 0, Entries }, response: {} };
    },
    { step: 'initialize' },
  );
  return { client, batches };
};

describe('SQS work queues', () => {
  const routes = new Map([
    ['taint-eviction', 'http://localhost/queue'],
    ['pod-gc', undefined],
  ]);
  const messages = Array.from({ length: 12 }, (_, n) => ({ body: n }));

  it('send refused entries of a batch again, after increasing waits', async () => {
    const { client, batches } = sqsThatRefuses(2);
    const { waits, deps } = patience();
    await createWorkQueues({ client, routes, ...deps }).send('taint-eviction', messages.slice(0, 3));
    expect(batches.map((batch) => batch.map(({ MessageBody }) => MessageBody))).toEqual([
      ['0', '1', '2'],
      ['0'],
      ['0'],
    ]);
    expect(waits).toEqual([100, 200]);
  });

  it('send ten at a time, with their delays', async () => {
    const { client, batches } = sqsThatRefuses(0);
    const delayed = messages.map((message) => ({ ...message, delaySeconds: 7 }));
    await createWorkQueues({ client, routes, ...patience().deps }).send('taint-eviction', delayed);
    expect(batches.map(({ length }) => length)).toEqual([10, 2]);
    expect(batches.flat().every(({ DelaySeconds }) => DelaySeconds === 7)).toBe(true);
  });

  it('send the chain and the queue with each message, also again, and nothing else as an attribute', async () => {
    const { client, batches } = sqsThatRefuses(1);
    const queues = createWorkQueues({ client, routes, ...patience().deps });
    const handling = { chain: `9.${(NOW - 20_000).toString(36)}`, onSlowed: () => {} };
    await handlingMessage(handling, () => queues.send('taint-eviction', messages.slice(0, 2)));
    await queues.send('taint-eviction', messages.slice(0, 1));
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    const h = (chain: string) => ({ q: text('taint-eviction'), h: text(chain) });
    const next = h(`10.${(NOW - 9_000).toString(36)}`);
    expect(batches.map((batch) => batch.map(({ MessageAttributes }) => MessageAttributes))).toEqual([
      [next, next],
      [next],
      [h(`1.${NOW.toString(36)}`)],
    ]);
  });

  it('throw when some entries are still refused', async () => {
    const { client, batches } = sqsThatRefuses(99);
    const queues = createWorkQueues({ client, routes, ...patience().deps });
    await expect(queues.send('taint-eviction', messages.slice(0, 2))).rejects.toThrow(
      '1 of 2 entries were refused',
    );
    expect(batches).toHaveLength(5);
  });

  it('are one group of messages for each controller, so that none waits for a flood of another', async () => {
    const { client, batches } = sqsThatRefuses(0);
    const queues = createWorkQueues({ client, routes, ...patience().deps });
    await queues.send('taint-eviction', messages);
    expect(new Set(batches.flat().map(({ MessageGroupId }) => MessageGroupId))).toEqual(
      new Set(['taint-eviction']),
    );
  });

  it('throw for a queue that the function may not send to, and drop messages for controllers that do not run', async () => {
    const { client, batches } = sqsThatRefuses(0);
    const queues = createWorkQueues({ client, routes, ...patience().deps });
    await expect(async () => queues.send('pod-gc', messages)).rejects.toThrow('pod-gc');
    await queues.send('job', messages);
    expect(batches).toEqual([]);
  });
});

it('a message that was received is delivered again when the handler says', async () => {
  const inputs: unknown[] = [];
  const client = new SQSClient(SEND);
  client.middlewareStack.add(
    () => async (args) => {
      inputs.push(args.input);
      return { output: { $metadata: {} }, response: {} };
    },
    { step: 'initialize' },
  );
  const routes = new Map([['drain', 'http://localhost/pods']]);
  await createDeliverAgain(client, routes, 'drain')('receipt', 10);
  expect(inputs).toEqual([
    { QueueUrl: 'http://localhost/pods', ReceiptHandle: 'receipt', VisibilityTimeout: 10 },
  ]);
});

describe('EventBridge bus', () => {
  const events = Array.from({ length: 12 }, (_, n) => ({
    detailType: 'NodeReady' as const,
    detail: { id: `uid/${n}`, severity: 'info' as const, message: 'm' },
  }));

  it('publishes with our source, ten at a time', async () => {
    const { client, batches } = busThatRefuses(0);
    await createEventBus({ client, busName: 'bus', ...patience().deps }).publish(events);
    expect(batches.map(({ length }) => length)).toEqual([10, 2]);
    expect(batches[1]?.[1]).toEqual({
      EventBusName: 'bus',
      Source: 'rollcall',
      DetailType: 'NodeReady',
      Detail: '{"id":"uid/11","severity":"info","message":"m"}',
    });
  });

  it('publishes refused entries again, and throws when some are still refused', async () => {
    const twice = busThatRefuses(2);
    await createEventBus({ client: twice.client, busName: 'bus', ...patience().deps }).publish(
      events.slice(0, 3),
    );
    expect(twice.batches.map(({ length }) => length)).toEqual([3, 1, 1]);
    const always = busThatRefuses(99);
    const bus = createEventBus({ client: always.client, busName: 'bus', ...patience().deps });
    await expect(bus.publish(events.slice(0, 3))).rejects.toThrow('1 of 3 entries were refused');
  });
});

const endpoint = process.env['SQS_ENDPOINT'];

if (endpoint) {
  const { create, dispose } = sqsQueuesAt(endpoint);
  afterAll(dispose);
  workQueuesContract('SQS', create);
}
