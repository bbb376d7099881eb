import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Positioned, Source } from '../../../../shared/apiserver/changes/source.ts';
import { createFanOut } from '../../../../shared/apiserver/feed/fan-out.ts';
import { createRing } from '../../../../shared/apiserver/feed/ring.ts';
import { resourceExpired, tooManyRequests } from '../../../../shared/kube/errors/status-error.ts';

const at = (...positions: readonly number[]): readonly Positioned[] =>
  positions.map((position) => ({ position }));
const positions = (events: readonly Positioned[]): readonly number[] =>
  events.map(({ position }) => position);
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

describe('a ring', () => {
  it('has the events after its start, and drops the oldest above its capacity', () => {
    const ring = createRing(0, 3);
    ring.push(at(1, 2, 3, 4, 5), 6);
    expect([ring.start(), ring.end(), positions(ring.after(3))]).toEqual([0, 6, [4, 5]]);
    ring.push(at(7), 7);
    expect([ring.start(), ring.end(), positions(ring.after(3))]).toEqual([3, 7, [4, 5, 7]]);
  });

  it('drops the oldest when they have many characters, before there are many of them', () => {
    const ring = createRing(0, 1_000);
    const large = (...places: readonly number[]) =>
      places.map((position) => ({ position, characters: 1_500_000 }));
    for (const position of upTo(100)) {
      ring.push(large(position), position);
      expect(ring.after(ring.start()).length).toBeLessThanOrEqual(5);
      expect(positions(ring.after(position - 1))).toEqual([position]);
    }
  });

  it('keeps nothing of an event that is larger than a ring may be, and its end is behind it', () => {
    const ring = createRing(0, 1_000);
    ring.push([{ position: 1, characters: 100_000_000 }], 1);
    expect([ring.start(), ring.end(), ring.after(1)]).toEqual([1, 1, []]);
  });

  it('does not separate events of one position', () => {
    const ring = createRing(0, 2);
    ring.push(at(1, 2, 2, 2), 2);
    expect([ring.start(), positions(ring.after(2))]).toEqual([2, []]);
  });
});

/** Numbers that are written one by one, 100 of them read at a time. */
const createNumbers = () => {
  let last = 0;
  let feeds = 0;
  let released = 0;
  const faults: Error[] = [];
  const source: Source<Positioned> = {
    head: async () => last,
    release: () => {
      released += 1;
    },
    follow: (after) => {
      feeds += 1;
      let position = after;
      return {
        position: () => position,
        restMs: () => 500,
        poll: async () => {
          const fault = faults.shift();
          if (fault) throw fault;
          const found = upTo(last).filter((one) => one > position && one <= position + 100);
          position += found.length;
          return at(...found);
        },
      };
    },
  };
  const write = (count: number): void => {
    last += count;
  };
  return { source, faults, write, feeds: () => feeds, released: () => released };
};

const createWorld = () => {
  const clock = createVirtualClock(0);
  const numbers = createNumbers();
  const errors: unknown[] = [];
  const fanOut = createFanOut(numbers.source, { clock, onError: (error) => errors.push(error) });
  const gone = new AbortController();
  const read = async (from: number, until: number, signal = gone.signal): Promise<readonly number[]> => {
    const subscription = fanOut.subscribe(from, signal);
    const seen: number[] = [];
    try {
      while (clock.now() < until && !signal.aborted) seen.push(...positions(await subscription.next(until)));
    } finally {
      subscription.close();
    }
    return seen;
  };
  const later = (ms: number, work: () => void): Promise<void> => clock.sleep(ms).then(work);
  return { ...numbers, clock, fanOut, errors, gone, read, later };
};

describe('subscribers of one source', () => {
  it('share one feed from any start, and it ends with the last of them', async () => {
    const { clock, fanOut, read, write, later, feeds, released } = createWorld();
    write(10);
    const readers = [read(10, 2_000), read(10, 3_000), read(10, 4_000)];
    const written = later(1_000, () => write(3));
    const [seen] = await clock.run(Promise.all([Promise.all(readers), written]));
    expect(seen).toEqual([
      [11, 12, 13],
      [11, 12, 13],
      [11, 12, 13],
    ]);
    await clock.run(clock.sleep(1_000));
    expect([feeds(), fanOut.subscribers(), released()]).toEqual([1, 0, 1]);
  });

  it('that begin before the ring read separately until they have caught up, and miss nothing', async () => {
    const { clock, read, write, later, feeds } = createWorld();
    write(350);
    const readers = [read(350, 3_000), read(20, 3_000)];
    const written = Promise.all([50, 100, 150].map((ms) => later(ms, () => write(1))));
    const [[fresh, late]] = await clock.run(Promise.all([Promise.all(readers), written]));
    expect(fresh).toEqual([351, 352, 353]);
    expect(late).toEqual(upTo(353).slice(20));
    expect(feeds()).toBe(2);
  });

  it('get events at once after a notification', async () => {
    const { clock, fanOut, read, write, later } = createWorld();
    const subscription = fanOut.subscribe(0, new AbortController().signal);
    const next = subscription.next(10_000).then((events) => [positions(events), clock.now()]);
    const rung = later(130, () => {
      write(1);
      fanOut.ring();
    });
    const [heard] = await clock.run(Promise.all([next, rung]));
    expect(heard).toEqual([[1], 130]);
    subscription.close();
    expect(await clock.run(read(0, 11_000))).toEqual([1]);
  });

  it('get no events at exactly their instant', async () => {
    const { clock, fanOut } = createWorld();
    const one = fanOut.subscribe(0, new AbortController().signal);
    expect(await clock.run(one.next(777))).toEqual([]);
    expect(clock.now()).toBe(777);
  });

  it('end at once when they are aborted, and the others stay', async () => {
    const { clock, fanOut, read, write, later, gone } = createWorld();
    const stays = read(0, 3_000, new AbortController().signal);
    const leaves = read(0, 3_000).then((seen) => [seen, clock.now(), fanOut.subscribers()]);
    const events = Promise.all([later(600, () => gone.abort()), later(900, () => write(1))]);
    const [left, stayed] = await clock.run(Promise.all([leaves, stays, events]));
    expect(left).toEqual([[], 600, 1]);
    expect(stayed).toEqual([1]);
  });

  it('that are slow lose no events and do not delay others', async () => {
    const { clock, fanOut, read, write, later } = createWorld();
    // Takes one event, and the next only when far more have come than the ring holds.
    const slow = async (): Promise<readonly number[]> => {
      const subscription = fanOut.subscribe(0, new AbortController().signal);
      const seen = [...positions(await subscription.next(60_000))];
      await clock.sleep(40_000);
      while (clock.now() < 60_000) seen.push(...positions(await subscription.next(60_000)));
      subscription.close();
      return seen;
    };
    const fast = read(0, 59_000);
    const written = Promise.all(upTo(50).map((n) => later(n * 1_000, () => write(100))));
    const [seen, soon] = await clock.run(Promise.all([slow(), fast, written]));
    expect(soon).toEqual(upTo(5_000));
    expect(seen).toEqual(upTo(5_000));
  });

  it('do not notice a failed read that is repeated', async () => {
    const { clock, read, write, faults, errors } = createWorld();
    faults.push(tooManyRequests('throttled'), new Error('a socket broke'));
    write(3);
    expect(await clock.run(read(0, 5_000))).toEqual([1, 2, 3]);
    expect(errors).toHaveLength(2);
  });

  it('all get the error when the source can no longer be read; the next one starts anew', async () => {
    const { clock, read, write, later, faults } = createWorld();
    const lost = (work: Promise<unknown>): Promise<unknown> => work.catch((error: Error) => error.message);
    const readers = Promise.all([lost(read(0, 5_000)), lost(read(0, 5_000))]);
    const expired = later(700, () => faults.push(resourceExpired('too old')));
    expect((await clock.run(Promise.all([readers, expired])))[0]).toEqual(['too old', 'too old']);
    write(1);
    expect(await clock.run(read(0, 9_000))).toEqual([1]);
  });
});
