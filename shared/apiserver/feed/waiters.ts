import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';

/** Waiters woken per turn of the event loop: thousands at once would block all other work. */
const WOKEN_PER_TURN = 64;

/** Subscribers that wait for events of one source. */
export interface Waiters {
  /**
   * Resolves when the waiter is woken or `signal` is aborted. Reaching `until` (ms) alone does not wake it:
   * `wakeDue` does.
   */
  wait(until: EpochMs, signal: AbortSignal): Promise<void>;
  wakeAll(): void;
  /** Wakes waiters whose `until` has come, and those whose wait began in the future because the clock was set back. */
  wakeDue(): void;
  /** The earliest `until` of all waiters (ms); `Infinity` without waiters. */
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

/** Creates an empty set of waiters. */
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
