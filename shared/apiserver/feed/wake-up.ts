import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';

/** A wait that ends at an instant or by a notification. It serves one waiter at a time. */
export interface WakeUp {
  /** Ends the current wait, or the next one if nothing waits. */
  ring(): void;
  /** Resolves at `until` (ms) or after `ring`. It may resolve early, so callers must check again. */
  wait(until: EpochMs): Promise<void>;
}

/** Creates a wake-up without a notification pending. */
export const createWakeUp = (clock: Clock): WakeUp => {
  let hasRung = false;
  let wake: (() => void) | undefined;
  let alarmAt = Number.POSITIVE_INFINITY;
  const ring = (): void => {
    hasRung = true;
    wake?.();
  };
  // Sleeps cannot be cancelled, so one that ends early enough for a later wait serves it, too.
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
