/** Checks regularly whether the token of an open watch is still valid. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';

/** Milliseconds between two checks. */
const EVERY_MS = 5_000;
/** Checks are due at multiples of this many milliseconds, so that many watches are checked in one turn of the feed. */
const GRID_MS = 500;

const nextAt = (now: EpochMs): EpochMs => Math.ceil((now + EVERY_MS) / GRID_MS) * GRID_MS;

/** The check of one watch's token. */
export interface TokenWatch {
  /** When the next check is due (ms). */
  readonly dueAt: () => EpochMs;
  /** Runs the check if it is due; `false`: the token is no longer valid. */
  readonly isValid: () => Promise<boolean>;
}

/** Without `stillValid` the token counts as valid for ever. */
export const createTokenWatch = (
  stillValid: (() => Promise<boolean>) | undefined,
  clock: Pick<Clock, 'now'>,
): TokenWatch => {
  let dueAt = nextAt(clock.now());
  return {
    // After the clock was set back, the check must not be delayed.
    dueAt: () => (stillValid ? Math.min(dueAt, nextAt(clock.now())) : Number.POSITIVE_INFINITY),
    isValid: async () => {
      const now = clock.now();
      if (!stillValid || (now < dueAt && dueAt <= nextAt(now))) return true;
      dueAt = nextAt(now);
      return stillValid();
    },
  };
};
