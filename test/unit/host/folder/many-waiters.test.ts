import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFifo } from '../../../../host/folder/fifo.ts';
import { createGroupCommit } from '../../../../host/folder/group-commit.ts';
import { createTurns } from '../../../../host/folder/turns.ts';
import { createSeats } from '../../../../host/queues/seats.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Commit } from '../../../../shared/ports/store/commit.ts';
import { createChangeStream } from '../../../../simulation/plane/change-stream.ts';
import { startCounting, type WorkCounter } from '../../../support/abuse/work.ts';

const MANY = 100_000;
/** Twice as many waiters cost twice the work; a square would be four times. */
const MOST_GROWTH = 2.5;

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

let counter: WorkCounter;
beforeAll(() => {
  counter = startCounting();
});
afterAll(() => counter.stop());

const costOf = async (run: () => Promise<unknown>): Promise<number> => {
  counter.reset();
  const { blocks, scanned } = await counter.count(run);
  return blocks + scanned;
};

const growthOf = async (run: (waiters: number) => Promise<unknown>): Promise<number> => {
  await run(MANY / 100);
  const half = await costOf(() => run(MANY / 2));
  return (await costOf(() => run(MANY))) / half;
};

const seatAll = async (waiters: number, flowOf: (index: number) => string): Promise<void> => {
  let turn: (() => void) | undefined;
  const room = createSeats({
    seats: 4,
    waitMs: 1,
    elapsed: () => 0,
    nextTurn: (resume) => {
      turn = resume;
    },
    afterStart: queueMicrotask,
    onTimeout: () => undefined,
  });
  const seated = times(waiters, (index) => room.run(flowOf(index), async () => index));
  while (room.waiting() > 0) {
    const resume = turn;
    turn = undefined;
    resume?.();
    await Promise.resolve();
  }
  expect(await Promise.all(seated)).toHaveLength(waiters);
};

const commitAll = async (waiters: number): Promise<void> => {
  const { urgent } = createGroupCommit((commits) => commits.map(() => ({ outcome: 'committed' })));
  // What is committed does not matter here.
  const commits = times(waiters, () => urgent({ key: { resource: 'pods' } } as Commit));
  expect(await Promise.all(commits)).toHaveLength(waiters);
};

const pauseAll = async (waiters: number): Promise<void> => {
  let now = 0;
  const turns = createTurns({ now: () => now });
  await turns.pause();
  now = 10;
  await Promise.all(times(waiters, () => turns.pause()));
};

const routeAll = async (changes: number): Promise<void> => {
  const clock = createVirtualClock();
  let routed = 0;
  const route = async (batch: readonly unknown[]): Promise<boolean> => {
    routed += batch.length;
    return true;
  };
  const stream = createChangeStream({ clock, isOn: () => true, route });
  for (let change = 0; change < changes; change += 1) stream.add({});
  await clock.run(clock.sleep(changes));
  expect(routed).toBe(changes);
};

describe('the cost of 100,000 waiters is proportional to their number', () => {
  it('for seats, of one flow', async () => {
    expect(await growthOf((waiters) => seatAll(waiters, () => 'a'))).toBeLessThan(MOST_GROWTH);
  });

  it('for seats, each of its own flow', async () => {
    expect(await growthOf((waiters) => seatAll(waiters, String))).toBeLessThan(MOST_GROWTH);
  });

  it('for a group commit', async () => {
    expect(await growthOf(commitAll)).toBeLessThan(MOST_GROWTH);
  });

  it('for the change stream of the simulation', async () => {
    expect(await growthOf(routeAll)).toBeLessThan(MOST_GROWTH);
  });

  it('for a turn of the event loop', async () => {
    expect(await growthOf(pauseAll)).toBeLessThan(MOST_GROWTH);
  });
});

describe('a FIFO queue', () => {
  it('returns items in the order in which they were added, and shows waiting ones', () => {
    const fifo = createFifo<number>();
    for (let item = 0; item < 5_000; item += 1) fifo.push(item);
    expect(times(4_000, () => fifo.take())).toEqual(times(4_000, (item) => item));
    expect([fifo.size(), fifo.at(0), fifo.at(999), fifo.at(1_000)]).toEqual([1_000, 4_000, 4_999, undefined]);
    fifo.push(5_000);
    expect(times(1_002, () => fifo.take()).slice(-2)).toEqual([5_000, undefined]);
    expect(fifo.size()).toBe(0);
  });
});
