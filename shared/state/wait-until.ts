import type { EpochMs } from '../api/time.ts';
import type { Clock } from '../ports/clock.ts';

/** Resolves at the instant (ms), never before it: timers may fire a millisecond early. */
export const waitUntil = async (clock: Clock, instant: EpochMs): Promise<void> => {
  for (let now = clock.now(); now < instant; now = clock.now()) await clock.sleep(instant - now);
};
