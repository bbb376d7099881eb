import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';

/**
 * Resolves at the instant (ms) and not before it, although timers may fire a millisecond early. If the clock is set back while
 * it waits, it resolves early; the caller then decides again by the current time.
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
