/** Waiting that can be cut short. */
import type { Clock } from './ports/clock.ts';

export interface Waker {
  /** Ends the wait that goes on; or the next one, if there is none. */
  wake(): void;
  /** Waits for `ms` milliseconds. Returns whether it was woken before. One wait at a time. */
  wait(ms: number): Promise<boolean>;
}

/** A wait that is over leaves no timer, whichever way it ended: a node wakes its pods more often than they would wake up. */
export const createWaker = (clock: Pick<Clock, 'sleep'>): Waker => {
  let isWoken = false;
  let current: AbortController | undefined;
  return {
    wake: () => {
      isWoken = true;
      current?.abort();
    },
    wait: async (ms) => {
      if (!isWoken) {
        current = new AbortController();
        await clock.sleep(ms, current.signal);
        current = undefined;
      }
      const wasWoken = isWoken;
      isWoken = false;
      return wasWoken;
    },
  };
};
