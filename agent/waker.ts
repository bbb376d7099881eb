/** Waiting that can be cut short. */
import type { Clock } from './ports/clock.ts';

export interface Waker {
  /** Ends the wait that goes on; or the next one, if there is none. */
  wake(): void;
  /** Waits for `ms` milliseconds. Returns whether it was woken before. */
  wait(ms: number): Promise<boolean>;
}

export const createWaker = (clock: Pick<Clock, 'sleep'>): Waker => {
  let woken = Promise.withResolvers<boolean>();
  return {
    wake: () => woken.resolve(true),
    wait: async (ms) => {
      const isWoken = await Promise.race([woken.promise, clock.sleep(ms).then(() => false)]);
      if (isWoken) woken = Promise.withResolvers();
      return isWoken;
    },
  };
};
