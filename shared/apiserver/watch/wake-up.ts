import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** A wait that ends at an instant, or when somebody has news. One at a time waits. */
export interface WakeUp {
  /** Ends the present wait, or the next one if nobody waits. */
  ring(): void;
  /** May resolve early for no reason: whoever waits looks again. */
  wait(until: EpochMs): Promise<void>;
}

export const createWakeUp = (clock: Clock): WakeUp => {
  let hasRung = false;
  let wake: (() => void) | undefined;
  let alarmAt = Number.POSITIVE_INFINITY;
  const ring = (): void => {
    hasRung = true;
    wake?.();
  };
  // Sleeps cannot be called off, so one that comes in time for a later wait serves it, too.
  const setAlarm = (at: EpochMs): void => {
    if (alarmAt <= at) return;
    alarmAt = at;
    void clock.sleep(at - clock.now()).then(() => {
      if (alarmAt === at) alarmAt = Number.POSITIVE_INFINITY;
      ring();
    });
  };
  return {
    ring,
    wait: async (until) => {
      if (!hasRung)
        await new Promise<void>((resolve) => {
          wake = resolve;
          setAlarm(until);
        });
      wake = undefined;
      hasRung = false;
    },
  };
};
