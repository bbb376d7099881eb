/** How long something that others keep refusing is tried again. */
import type { Clock } from '../../ports/process/clock.ts';

/** Says whether the time for tries is over. Call it once after each try. */
export type Patience = () => boolean;

/**
 * Patience of `ms` milliseconds. The time between two calls counts for at most half of them: if the machine sleeps in a try or its
 * clock is set forward, there is time for more tries. A clock that is set back counts as no time.
 */
export const createPatience = (clock: Pick<Clock, 'now'>, ms: number): Patience => {
  let last = clock.now();
  let left = ms;
  return () => {
    const now = clock.now();
    left -= Math.min(Math.max(now - last, 0), ms / 2);
    last = now;
    return left <= 0;
  };
};
