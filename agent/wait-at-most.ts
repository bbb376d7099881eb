import type { Clock } from './ports/machine/clock.ts';

/** Waits for `work`, but not longer than `ms` milliseconds, and leaves no timer. Returns whether the work was done; rejects as it does. */
export const waitAtMost = async (
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<unknown>,
): Promise<boolean> => {
  const over = new AbortController();
  try {
    return await Promise.race([work.then(() => true), clock.sleep(ms, over.signal).then(() => false)]);
  } finally {
    over.abort();
  }
};
