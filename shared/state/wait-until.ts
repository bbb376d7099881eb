import type { EpochMs } from '../api/time.ts';
import type { Clock } from '../ports/clock.ts';

/**
 * Resolves at the instant (ms), never before it: timers may fire a millisecond early. Only a clock that is set back on the
 * way ends the wait before its instant: whoever waited decides again by the clock as it is now.
 */
export const waitUntil = async (clock: Clock, instant: EpochMs): Promise<void> => {
  let leftMs = instant - clock.now();
  while (leftMs > 0) {
    await clock.sleep(leftMs);
    const stillLeftMs = instant - clock.now();
    if (stillLeftMs >= leftMs) return;
    leftMs = stillLeftMs;
  }
};
