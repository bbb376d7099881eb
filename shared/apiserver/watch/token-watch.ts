/** An open watch asks again and again whether its client's token is still valid. */
import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** Milliseconds between two checks. */
const EVERY_MS = 5_000;
/** Checks are due at multiples of this many milliseconds, so that one turn of the feed serves many watches. */
const GRID_MS = 500;

const nextAt = (now: EpochMs): EpochMs => Math.ceil((now + EVERY_MS) / GRID_MS) * GRID_MS;

export interface TokenWatch {
  /** When the next check is due. */
  readonly dueAt: () => EpochMs;
  /** Asks where a check is due; `false`: the token is void. */
  readonly isValid: () => Promise<boolean>;
}

/** Without `stillValid` the token is taken for valid. */
export const createTokenWatch = (
  stillValid: (() => Promise<boolean>) | undefined,
  clock: Pick<Clock, 'now'>,
): TokenWatch => {
  let dueAt = nextAt(clock.now());
  return {
    // A clock that was set back must not put the check off.
    dueAt: () => (stillValid ? Math.min(dueAt, nextAt(clock.now())) : Number.POSITIVE_INFINITY),
    isValid: async () => {
      const now = clock.now();
      if (!stillValid || (now < dueAt && dueAt <= nextAt(now))) return true;
      dueAt = nextAt(now);
      return stillValid();
    },
  };
};
