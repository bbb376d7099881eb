/** Waiting that can be cut short. */
import type { Clock } from './ports/machine/clock.ts';

export interface Waker {
  /** Ends the wait that goes on; or the next one, if there is none. */
  wake(): void;
  /** Waits for `ms` milliseconds. Returns whether it was woken before. One wait at a time. */
  wait(ms: number): Promise<boolean>;
}

/** A wait that is over leaves no timer, whichever way it ended: a node wakes its pods more often than they would wake up. */
export const createWaker = (clock: Pick<Clock, 'sleep'>): Waker => {
  let isWoken = false;
  let endWait = (): void => undefined;
  const sleep = async (ms: number): Promise<void> => {
    const [early, ended] = [new AbortController(), Promise.withResolvers<void>()];
    endWait = () => {
      early.abort();
      ended.resolve();
    };
    await Promise.race([clock.sleep(ms, early.signal), ended.promise]);
    endWait = () => undefined;
  };
  return {
    wake: () => {
      isWoken = true;
      endWait();
    },
    wait: async (ms) => {
      if (!isWoken) await sleep(ms);
      const wasWoken = isWoken;
      isWoken = false;
      return wasWoken;
    },
  };
};
