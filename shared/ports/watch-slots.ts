import type { EpochMs } from '../api/time.ts';

/** Who has how many watches open, over all processes that serve them. */
export interface WatchSlots {
  /** Takes one of `count` slots of a holder until an instant; `undefined`: all are taken at `now`. */
  take(holder: string, count: number, now: EpochMs, until: EpochMs): Promise<number | undefined>;
  /** Gives a slot back before its time; `until` is what it was taken with, so that another's is never freed. */
  release(holder: string, slot: number, now: EpochMs, until: EpochMs): Promise<void>;
}
