import type { EpochMs } from '../../kube/values/time.ts';

/** Limits the open watches of each holder, across all processes. */
export interface WatchSlots {
  /** Takes one of the holder's `count` slots until the instant `until`; `undefined` if all are taken at `now`. */
  take(holder: string, count: number, now: EpochMs, until: EpochMs): Promise<number | undefined>;
  /** Releases a slot early. `until` must be the value it was taken with, so that a slot taken by another watch is not released. */
  release(holder: string, slot: number, now: EpochMs, until: EpochMs): Promise<void>;
}
