import { setImmediate } from 'node:timers/promises';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { composeSqs, type QueueEvent } from '../../../../lambdas/runtime/compose-sqs.ts';
import { logger } from '../../../../lambdas/runtime/observability.ts';
import { createChainedQueues } from '../../../../shared/adapters/system/message-chain.ts';
import { EvictionWakeup } from '../../../../shared/ports/process/messages.ts';
import { contextWith, eventOf } from './events.ts';

const BATCH = eventOf<QueueEvent>('sqs-batch');
const [GOOD, NOT_JSON, OTHER_VERSION] = BATCH.Records.map(({ messageId }) => messageId);
const error = vi.spyOn(logger, 'error');
const warn = vi.spyOn(logger, 'warn');
const slept: number[] = [];
const wait = async (ms: number): Promise<void> => void slept.push(ms);

beforeEach(() => {
  slept.length = 0;
  error.mockImplementation(() => {});
  warn.mockImplementation(() => {});
});

afterEach(() => {
  error.mockReset();
  warn.mockReset();
});

const NOW = 1_800_000_000_000;
const chain = (hops: number): string => `${hops}.${NOW.toString(36)}`;

/** A batch with wake-ups of these chains; `undefined`: without the attribute. */
const batchOf = (chains: readonly (string | undefined)[]): QueueEvent => ({
  Records: chains.map((text, index) => ({
    messageId: String(index),
    receiptHandle: `receipt-${index}`,
    body: JSON.stringify({ v: 1, kind: 'zone', zone: String(index) }),
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: text === undefined ? {} : { h: { stringValue: text } },
  })),
});

const failuresOf = async (handle: (wakeup: EvictionWakeup) => Promise<void>): Promise<readonly string[]> => {
  const handler = composeSqs(async ({ body }) => handle(EvictionWakeup.parse(body)), { wait });
  const { batchItemFailures } = await handler(BATCH, contextWith());
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).toSorted();
};

describe('a batch of messages', () => {
  it('fails only for bodies that are not JSON or do not match the schema', async () => {
    const zones: string[] = [];
    const failed = await failuresOf(async ({ zone }) => {
      zones.push(zone);
    });
    expect(zones).toEqual(['eu-west-1a', 'eu-west-1c']);
    expect(failed).toEqual([NOT_JSON, OTHER_VERSION]);
  });

  it('fails only for a message whose handler throws', async () => {
    const failed = await failuresOf(async ({ zone }) => {
      if (zone === 'eu-west-1a') throw new Error('throttled');
    });
    expect(failed).toEqual([GOOD, NOT_JSON, OTHER_VERSION]);
  });

  it('reports every message when all of them fail, instead of failing as a whole', async () => {
    const failed = await failuresOf(async () => {
      throw new Error('no table');
    });
    expect(failed).toEqual(BATCH.Records.map(({ messageId }) => messageId));
  });

  it('logs a failed message with its body and receive count', async () => {
    await failuresOf(async () => {});
    expect(error).toHaveBeenCalledTimes(2);
    expect(error.mock.calls[1]).toEqual([
      'the message failed',
      expect.objectContaining({
        messageId: OTHER_VERSION,
        receiveCount: 5,
        body: expect.stringContaining('"v":2'),
      }),
    ]);
  });

  it('is handled concurrently, because some messages wait', async () => {
    const arrived: string[] = [];
    let release = (): void => {};
    const bothArrived = new Promise<void>((resolve) => {
      release = resolve;
    });
    await failuresOf(async ({ zone }) => {
      arrived.push(zone);
      if (arrived.length === 2) release();
      await bothArrived;
    });
    expect(arrived).toHaveLength(2);
  });
});

describe('a message that has failed', () => {
  /** A handler that fails `times` times, each after `tookMs` of the 30 s of its invocation. */
  const play = async (times: number, tookMs = 0) => {
    let calls = 0;
    let leftMs = 30_000;
    const handler = composeSqs(
      async () => {
        calls += 1;
        leftMs -= tookMs;
        if (calls <= times) throw new Error('the answer was lost');
      },
      { wait },
    );
    const context = { ...contextWith(), getRemainingTimeInMillis: () => leftMs };
    const { batchItemFailures } = await handler(batchOf([undefined]), context);
    return { calls, failed: batchItemFailures.length };
  };

  it('is handled again after a second', async () => {
    expect(await play(1)).toEqual({ calls: 2, failed: 0 });
    expect(slept).toEqual([1_000]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(error).not.toHaveBeenCalled();
  });

  it('is delivered again if that fails, too', async () => {
    expect(await play(9)).toEqual({ calls: 2, failed: 1 });
    expect(error).toHaveBeenCalledTimes(1);
  });

  it('is delivered again at once if it does not match its schema', async () => {
    let calls = 0;
    const handler = composeSqs(
      async () => {
        calls += 1;
        EvictionWakeup.parse({ v: 2 });
      },
      { wait },
    );
    expect((await handler(batchOf([undefined]), contextWith())).batchItemFailures).toHaveLength(1);
    expect([calls, slept]).toEqual([1, []]);
  });

  it('is delivered again if the invocation might end before', async () => {
    expect(await play(1, 10_000)).toEqual({ calls: 1, failed: 1 });
    expect(slept).toEqual([]);
  });
});

describe('a message that was delivered in vain', () => {
  /** What is asked of SQS after the delivery of this number; `refuses`: SQS refuses it. */
  const askedAfter = async (
    count: number,
    { refuses = false, body = '{"v":1,"kind":"zone","zone":"a"}' } = {},
  ) => {
    const asked: unknown[] = [];
    const deliverAgain = async (receipt: string, seconds: number): Promise<void> => {
      asked.push([receipt, seconds]);
      if (refuses) throw new Error('it is visible again');
    };
    const handler = composeSqs(
      async ({ body: given }) => {
        EvictionWakeup.parse(given);
        throw new Error('the table does not answer');
      },
      { wait, deliverAgain },
    );
    const [record] = batchOf([undefined]).Records;
    if (!record) throw new Error('no record');
    const Records = [{ ...record, body, attributes: { ApproximateReceiveCount: String(count) } }];
    const { batchItemFailures } = await handler({ Records }, contextWith());
    expect(batchItemFailures).toHaveLength(1);
    return asked;
  };

  it.each([
    [1, [['receipt-0', 10]]],
    [2, [['receipt-0', 60]]],
    [3, [['receipt-0', 300]]],
    [4, []],
  ])('%i times is delivered again soon, and at last when its queue lets it', async (count, asked) =>
    expect(await askedAfter(count)).toEqual(asked),
  );

  it.each(['not json', '{"v":2}'])('is left to its queue if it can never be handled: %s', async (body) =>
    expect(await askedAfter(1, { body })).toEqual([]),
  );

  it('comes when its queue lets it if SQS refuses', async () => {
    expect(await askedAfter(1, { refuses: true })).toHaveLength(1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('visibility time-out'), expect.anything());
  });
});

describe('the queue of a message', () => {
  it('is handed over with its body, if it has one', async () => {
    const got: unknown[] = [];
    const [first, second] = batchOf([undefined, undefined]).Records;
    if (!first || !second) throw new Error('no records');
    const Records = [{ ...first, messageAttributes: { q: { stringValue: 'drain' } } }, second];
    await composeSqs(async ({ queue }) => void got.push(queue))({ Records }, contextWith());
    expect(got).toEqual(['drain', undefined]);
  });
});

describe('the chains of a batch', () => {
  it('are each that of its message, in what its handler sends', async () => {
    const sent: (readonly [unknown, string | undefined])[] = [];
    const queues = createChainedQueues({
      clock: { now: () => NOW },
      queues: {
        send: async (_, messages) => void sent.push(...messages.map((one) => [one.body, one.chain] as const)),
      },
    });
    const handler = composeSqs(async ({ body }) => {
      const { zone } = EvictionWakeup.parse(body);
      await setImmediate();
      await queues.send('eviction-wakeups', [{ body: zone }]);
    });
    await handler(batchOf([chain(5), undefined, chain(11), 'nonsense']), contextWith());
    expect(sent).toEqual([
      ['0', chain(6)],
      ['1', chain(2)],
      ['2', chain(12)],
      ['3', chain(2)],
    ]);
  });

  it('that are too fast are slowed, with a warning and a metric', async () => {
    const published: unknown[] = [];
    vi.spyOn(Metrics.prototype, 'publishStoredMetrics').mockImplementation(function (this: Metrics) {
      published.push(this.serializeMetrics());
      this.clearMetrics();
      return this;
    });
    const delays: (number | undefined)[] = [];
    const queues = createChainedQueues({
      clock: { now: () => NOW },
      queues: { send: async (_, messages) => void delays.push(...messages.map((one) => one.delaySeconds)) },
    });
    const handler = composeSqs(() => queues.send('eviction-wakeups', [{ body: 1 }]));
    await handler(batchOf([chain(70), chain(3)]), contextWith());
    expect(delays).toEqual([7, undefined]);
    expect(warn.mock.calls).toEqual([
      [expect.any(String), { queue: 'eviction-wakeups', count: 1, hops: 71, delaySeconds: 7 }],
    ]);
    expect(published).toEqual([expect.objectContaining({ messages_slowed_total: 1 })]);
    vi.restoreAllMocks();
  });
});
