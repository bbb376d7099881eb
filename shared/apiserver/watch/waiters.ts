import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** Waiters that are woken at once: thousands in one turn of the event loop would keep everybody else waiting. */
const WOKEN_PER_TURN = 64;

/** Subscribers that wait for news of one source. */
export interface Waiters {
  /** Resolves when the waiter is woken or `signal` is aborted; the instant alone wakes nobody. */
  wait(until: EpochMs, signal: AbortSignal): Promise<void>;
  wakeAll(): void;
  /** Wakes those whose instant has come, and those who began to wait at a later one: the clock was set back. */
  wakeDue(): void;
  /** The earliest instant until which somebody waits; `Infinity` for nobody. */
  earliest(): EpochMs;
}

interface Waiter {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly wake: () => void;
}

const wakeInTurns = ([...waiters]: readonly Waiter[]): void => {
  for (const waiter of waiters.splice(0, WOKEN_PER_TURN)) waiter.wake();
  if (waiters.length > 0) setImmediate(() => wakeInTurns(waiters));
};

export const createWaiters = (clock: Pick<Clock, 'now'>): Waiters => {
  const waiters = new Set<Waiter>();
  return {
    wait: (until, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const waiter = { from: clock.now(), until, wake: done };
        waiters.add(waiter);
        signal.addEventListener('abort', done);
      }),
    wakeAll: () => wakeInTurns([...waiters]),
    wakeDue: () => {
      const now = clock.now();
      wakeInTurns([...waiters].filter(({ from, until }) => until <= now || now < from));
    },
    earliest: () => Math.min(...[...waiters].map(({ until }) => until)),
  };
};
