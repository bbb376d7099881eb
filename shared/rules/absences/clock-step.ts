/** By how much the clock was set between two looks at it. */
import type { EpochMs } from '../../kube/values/time.ts';

/** If two measurements of one time span differ by this much (ms), the clock was set in between. */
const STEP_MS = 1_000;

/** When the process was last known alive: by the clock, and by the time since boot if that is known. */
export interface SignOfLife {
  readonly at: EpochMs;
  readonly uptimeMs?: number;
  readonly bootId?: string;
}

/**
 * Milliseconds by which the clock was set between two signs of life, 0 if it was not. Without a reboot in between, the time since
 * boot gives the exact amount. After a reboot only a clock behind the earlier sign shows a change, and only its minimum; a clock
 * that is ahead cannot be distinguished from downtime.
 */
export const stepBetween = (earlier: SignOfLife, later: SignOfLife): number => {
  const isSameBoot = earlier.bootId !== undefined && earlier.bootId === later.bootId;
  const byClockMs = later.at - earlier.at;
  const elapsedMs =
    isSameBoot && earlier.uptimeMs !== undefined && later.uptimeMs !== undefined
      ? later.uptimeMs - earlier.uptimeMs
      : Math.max(0, byClockMs);
  const stepMs = byClockMs - elapsedMs;
  return Math.abs(stepMs) >= STEP_MS ? stepMs : 0;
};
