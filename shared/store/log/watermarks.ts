import type { EpochMs } from '../../kube/values/time.ts';
import type { Counter, Watermark } from '../../ports/store/change-log.ts';
import type { ReadLag } from '../../ports/store/object-store.ts';
import type { Revision } from '../../ports/store/rows.ts';

/** A watermark is added when a reader is this many revisions above the newest one, unless their slots are large. */
export const RAISE_AFTER = 32;

/** How a reader adds a watermark. */
export interface RaiseOptions {
  /** The revision that the same reader stored last. */
  readonly own?: Revision | undefined;
  /** Number of revisions above the newest watermark from which the write is worth it. */
  readonly raiseAfter?: number;
}

/** Without lag, rows show at once what the log shows, even if the clock was set back. */
const hasCaughtUp = ({ at }: Watermark, lagMs: number, now: EpochMs): boolean =>
  lagMs === 0 || at <= now - lagMs;

/** The revision up to which rows read at `now` or later, with this lag, include every change; the seed if no watermark is old enough. */
export const visibleUpTo = ({ watermarks, seed }: Counter, lagMs: number, now: EpochMs): Revision =>
  watermarks.findLast((mark) => hasCaughtUp(mark, lagMs, now))?.revision ?? seed;

/**
 * The watermarks followed by `mark`, at most one per table lag and without those that lists no longer need; `undefined` when
 * a write is not worth it. `own` is the revision that the same reader stored last: `mark` replaces it while no list can use it.
 * Watermarks of other readers stay; if each reader replaced the newest one, it would never become old enough to use.
 */
export const withWatermark = (
  { watermarks, seed }: Counter,
  mark: Watermark,
  { tableMs, indexMs }: ReadLag,
  { own, raiseAfter = RAISE_AFTER }: RaiseOptions = {},
): readonly Watermark[] | undefined => {
  const kept = watermarks.filter((one) => one.revision !== own || hasCaughtUp(one, tableMs, mark.at));
  const newest = kept.at(-1);
  if (mark.revision - (newest?.revision ?? seed) < raiseAfter) return undefined;
  if (newest && !hasCaughtUp(newest, tableMs, mark.at)) return undefined;
  const marks = [...kept, mark];
  const needed = marks.findLastIndex((one) => hasCaughtUp(one, indexMs, mark.at));
  return marks.slice(Math.max(needed, 0));
};
