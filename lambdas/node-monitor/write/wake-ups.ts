import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { ZoneRecord } from '../../../shared/ports/store/control-store.ts';
import { planWakeUp } from '../../../shared/rules/wake-up.ts';

/** A wake-up counts as lost when its instant is this long past (ms). */
const LOST_AFTER_MS = 10_000;

/**
 * Whether a zone with waiting nodes needs a new wake-up: none is on its way, it is lost, the rate changed, or it comes later than
 * the limiter allows the next token (a crash right after a change of the rate leaves one like that).
 */
export const needsWakeUp = (zone: ZoneRecord, before: ZoneRecord | undefined, now: EpochMs): boolean => {
  const { wakeAt, limiter, waiting } = zone;
  if (waiting.length === 0 || limiter.rate <= 0) return false;
  if (wakeAt === undefined || now - wakeAt > LOST_AFTER_MS) return true;
  return before?.limiter.rate !== limiter.rate || wakeAt > planWakeUp(limiter.nextAt, now).wakeAt;
};
