import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createChance } from '../../../../shared/adapters/hostile/chance.ts';
import { createHostileProcess } from '../../../../shared/adapters/hostile/process.ts';
import { createHostileWorkQueues } from '../../../../shared/adapters/hostile/work-queues.ts';
import { createMemoryQueues } from '../../../../shared/adapters/memory/queues.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import {
  createChainedQueues,
  handlingMessage,
  type SlowedMessages,
} from '../../../../shared/adapters/system/message-chain.ts';
import type { OutgoingMessage, WorkQueues } from '../../../../shared/ports/process/work-queue.ts';

const NOW = 1_800_000_000_000;
const chain = (hops: number, seconds: number): string => `${hops}.${(NOW - seconds * 1000).toString(36)}`;

/** Queues at a clock that stands, what was sent, and what was slowed. */
const stage = () => {
  const sent: OutgoingMessage[] = [];
  const slowed: SlowedMessages[] = [];
  const excesses: number[] = [];
  const inner: WorkQueues = {
    send: async (_queue, messages) => {
      sent.push(...messages);
    },
  };
  const queues = createChainedQueues({
    clock: { now: () => NOW },
    queues: inner,
    onHop: (_chain, excess) => excesses.push(excess),
  });
  const handling = (text: string | undefined, work: () => Promise<void>): Promise<void> =>
    handlingMessage({ chain: text, onSlowed: (one) => slowed.push(one) }, work);
  return { sent, slowed, excesses, queues, handling };
};

describe('queues with chains', () => {
  it('begin a chain with a message that is sent while none is handled (A-32)', async () => {
    const { sent, queues } = stage();
    await queues.send('garbage', [{ body: 1 }, { body: 2, delaySeconds: 5 }]);
    expect(sent).toEqual([
      { body: 1, chain: chain(1, 0) },
      { body: 2, delaySeconds: 5, chain: chain(1, 0) },
    ]);
  });

  it.each([
    ['that has one', chain(9, 2), chain(10, 2)],
    ['of the release before', undefined, chain(2, 0)],
    ['with another text', 'h', chain(2, 0)],
  ])('go on with the chain of a message %s, in all that it sends', async (_name, read, next) => {
    const { sent, queues, handling } = stage();
    await handling(read, async () => {
      await queues.send('garbage', [{ body: 1 }]);
      await setImmediate();
      await Promise.all([queues.send('pod-gc', [{ body: 2 }]), queues.send('garbage', [{ body: 3 }])]);
    });
    expect(sent.map((one) => one.chain)).toEqual([next, next, next]);
  });

  it('keep the chains of messages apart that are handled at the same time', async () => {
    const { sent, queues, handling } = stage();
    const answer = async (body: number): Promise<void> => {
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
      await queues.send('garbage', [{ body }]);
    };
    const hops = [1, 20, 3, 40];
    await Promise.all(hops.map((count) => handling(chain(count, 40), () => answer(count))));
    expect(sent.map(({ body, chain: text }) => [body, text?.split('.')[0]])).toEqual(
      hops.map((count) => [count, String(count + 1)]),
    );
  });

  it('go on with the chain in work that outlives the handling', async () => {
    const { sent, queues, handling } = stage();
    let later: Promise<void> = Promise.resolve();
    await handling(chain(7, 7), async () => {
      later = setImmediate().then(() => queues.send('garbage', [{ body: 1 }]));
    });
    await handling(chain(30, 30), () => later);
    expect(sent[0]?.chain).toBe(chain(8, 7));
  });

  it('begin one in work that belongs to no message, even if a handling starts it', async () => {
    const { sent, queues, handling } = stage();
    await handling(chain(7, 7), () =>
      handlingMessage(undefined, () => queues.send('garbage', [{ body: 1 }])),
    );
    expect(sent[0]?.chain).toBe(chain(1, 0));
  });

  it('slow the messages of a chain with too many hops, none below what it asks, and tell of those (A-33)', async () => {
    const { sent, slowed, excesses, queues, handling } = stage();
    const messages = [{ body: 1 }, { body: 2, delaySeconds: 10 }, { body: 3, delaySeconds: 900 }];
    await handling(chain(93, 0), () => queues.send('garbage', messages));
    expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([30, 30, 900]);
    expect(slowed).toEqual([{ queue: 'garbage', count: 2, hops: 94, delaySeconds: 30 }]);
    expect(excesses).toEqual([30]);
  });

  it('slow none that a limiter paces: it is the first of a chain', async () => {
    const { sent, slowed, excesses, queues, handling } = stage();
    await handling(chain(93, 0), () => queues.send('eviction-wakeups', [{ body: 1, isPaced: true }]));
    expect(sent).toEqual([{ body: 1, isPaced: true, chain: chain(1, 0) }]);
    expect([slowed, excesses]).toEqual([[], []]);
  });

  it('take a hundred thousand messages at once', async () => {
    const { sent, slowed, queues, handling } = stage();
    const many = Array.from({ length: 100_000 }, (_, body) => ({ body }));
    await handling(chain(93, 0), () => queues.send('garbage', many));
    expect(sent).toHaveLength(100_000);
    expect(slowed[0]?.count).toBe(100_000);
  });
});

describe('the chain of a message', () => {
  it('arrives as it was sent, also through queues that double and delay messages', async () => {
    const clock = createVirtualClock(NOW);
    const memory = createMemoryQueues({ clock });
    const rates = { doubleMessage: 1, messageDelayMs: 0 };
    const process = createHostileProcess(clock, createChance(1), rates as never);
    const queues = createHostileWorkQueues(createChainedQueues({ clock, queues: memory }), process);
    await handlingMessage({ chain: chain(9, 2), onSlowed: () => {} }, () =>
      queues.send('garbage', [{ body: 1 }]),
    );
    const received = await memory.receive('garbage', 10);
    expect(received.map((one) => one.chain)).toEqual([chain(10, 2), chain(10, 2)]);
    expect((await memory.receive('garbage', 10)).length).toBe(0);
  });
});
