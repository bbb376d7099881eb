import type { EpochMs } from '../../shared/api/time.ts';
import { planWakeUp } from '../../shared/domain/wake-up.ts';
import type { ZoneRecord } from '../../shared/ports/control-store.ts';

/** A wake-up whose instant is this long past (ms) is taken for lost. */
const LOST_AFTER_MS = 10_000;

/**
 * Whether a zone with waiting nodes needs a new wake-up: none is on its way, it is lost, or the rate changed.
 * One planned for later than the limiter asks is what a crash right after a change of rate leaves behind.
 */
export const needsWakeUp = (zone: ZoneRecord, before: ZoneRecord | undefined, now: EpochMs): boolean => {
  const { wakeAt, limiter, waiting } = zone;
  if (waiting.length === 0 || limiter.rate <= 0) return false;
  if (wakeAt === undefined || now - wakeAt > LOST_AFTER_MS) return true;
  return before?.limiter.rate !== limiter.rate || wakeAt > planWakeUp(limiter.nextAt, now).wakeAt;
};
