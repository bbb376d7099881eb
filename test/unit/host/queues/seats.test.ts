import { describe, expect, it } from 'vitest';
import { createSeats } from '../../../../host/queues/seats.ts';

/** Seats in a loop that turns when the test says so. `startMs`: how much time each start takes; `seatsOfFlow`: by default all but one. */
const aRoom = (seats: number, { startMs = 0, seatsOfFlow = seats - 1 } = {}) => {
  let now = 0;
  let timeouts = 0;
  const turns: (() => void)[] = [];
  const started: string[] = [];
  const room = createSeats({
    seats,
    seatsOfFlow,
    waitMs: 1_000,
    elapsed: () => now,
    nextTurn: (resume) => turns.push(resume),
    afterStart: (resume) => setTimeout(resume),
    onTimeout: () => {
      timeouts += 1;
    },
  });
  /** Work that ends when the returned function is called. */
  const sit = (flow: string, signal?: AbortSignal, width?: number) => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const done = room.run(
      flow,
      async () => {
        started.push(flow);
        now += startMs;
        await ended;
      },
      signal,
      width,
    );
    done.catch(() => undefined);
    return { done, end };
  };
  /** What may start in this turn has started. */
  const settle = async () => {
    for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setTimeout(resolve));
  };
  return {
    room,
    started,
    sit,
    settle,
    timeouts: () => timeouts,
    advance: (ms: number) => {
      now += ms;
    },
    /** Turns the loop until nothing more happens. */
    turn: async (most = 100) => {
      await settle();
      for (let turn = 0; turn < most && turns.length > 0; turn += 1) {
        turns.shift()?.();
        await settle();
      }
    },
  };
};

describe('seats', () => {
  it.each([
    ['the time of a turn is used, which is 5 ms', 2, [3, 6, 9]],
    ['16 have started', 0, [16, 20, 20]],
    ['one has taken longer than a turn', 30, [1, 2, 3]],
  ])('are taken in one turn of the event loop until %s', async (_until, startMs, counts) => {
    const { sit, turn, started, settle } = aRoom(32, { startMs });
    for (let index = 0; index < 20; index += 1) sit(`flow ${index}`);
    for (const count of counts) {
      await settle();
      expect(started).toHaveLength(count);
      await turn(1);
    }
  });

  it('are kept for others by a flow of a thousand requests', async () => {
    const { sit, turn, started } = aRoom(32, { seatsOfFlow: 28 });
    for (let index = 0; index < 1000; index += 1) sit('busy');
    await turn();
    expect(started).toHaveLength(28);
    for (let index = 0; index < 4; index += 1) sit('rare');
    await turn();
    expect(started.slice(28)).toEqual(['rare', 'rare', 'rare', 'rare']);
  });

  it('are limited to their number', async () => {
    const { sit, turn, started, room } = aRoom(2);
    const [first] = ['a', 'b', 'c'].map((flow) => sit(flow));
    await turn();
    expect([started, room.executing(), room.waiting()]).toEqual([['a', 'b'], 2, 1]);
    first?.end();
    await first?.done;
    await turn();
    expect([started, room.executing(), room.waiting()]).toEqual([['a', 'b', 'c'], 2, 0]);
  });

  it('are given to flows in turn, however many requests one of them sends', async () => {
    const { sit, turn, started } = aRoom(1);
    const busy = Array.from({ length: 6 }, () => sit('busy'));
    const rare = sit('rare');
    for (const { end } of [...busy, rare]) end();
    await turn();
    expect(started.indexOf('rare')).toBeLessThanOrEqual(2);
    expect(started).toHaveLength(7);
  });

  it('are never all taken by one flow', async () => {
    const { sit, turn, started } = aRoom(3);
    for (let index = 0; index < 5; index += 1) sit('busy');
    await turn();
    expect(started).toEqual(['busy', 'busy']);
    sit('rare');
    await turn();
    expect(started).toEqual(['busy', 'busy', 'rare']);
  });

  it('are refused with 429 after a wait that is too long', async () => {
    const { sit, turn, advance, timeouts } = aRoom(1);
    const first = sit('a');
    const second = sit('b');
    await turn();
    advance(1_001);
    first.end();
    await turn();
    await expect(second.done).rejects.toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } });
    expect(timeouts()).toBe(1);
  });

  it('are not given to clients that have disconnected', async () => {
    const { sit, turn, started } = aRoom(1);
    const gone = new AbortController();
    const first = sit('a');
    const second = sit('b', gone.signal);
    sit('c');
    gone.abort();
    first.end();
    await turn();
    await expect(second.done).rejects.toMatchObject({ code: 429 });
    expect(started).toEqual(['a', 'c']);
  });

  it('are free again after work that failed', async () => {
    const { room, turn, sit, started } = aRoom(1);
    await expect(room.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    sit('b');
    await turn();
    expect(started).toEqual(['b']);
  });

  it('are taken several at a time by wide requests', async () => {
    const { sit, turn, started, room } = aRoom(10);
    const first = sit('a', undefined, 6);
    sit('b', undefined, 5);
    await turn();
    expect([started, room.executing(), room.waiting()]).toEqual([['a'], 6, 1]);
    first.end();
    await turn();
    expect([started, room.executing(), room.waiting()]).toEqual([['a', 'b'], 5, 0]);
  });

  it('are not kept for a wide request that will be refused', async () => {
    const { sit, turn, started, advance, timeouts } = aRoom(10);
    const gone = new AbortController();
    sit('a', undefined, 6);
    const [left, late] = [sit('b', gone.signal, 9), sit('c', undefined, 9)];
    gone.abort();
    advance(1_001);
    sit('d');
    await turn();
    expect([started, timeouts()]).toEqual([['a', 'd'], 1]);
    await expect(left.done).rejects.toMatchObject({ message: 'the client has gone' });
    await expect(late.done).rejects.toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } });
  });

  it('are kept for a wide request that is next, also from narrow ones that would fit', async () => {
    const { sit, turn, started } = aRoom(10);
    const ends = [sit('a', undefined, 6), sit('b', undefined, 3)];
    sit('wide', undefined, 9);
    sit('c');
    await turn();
    expect(started).toEqual(['a', 'b']);
    for (const { end } of ends) end();
    await turn();
    expect(started).toEqual(['a', 'b', 'wide', 'c']);
  });
});
