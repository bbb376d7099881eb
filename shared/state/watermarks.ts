import type { EpochMs } from '../api/time.ts';
import type { Counter, Watermark } from '../ports/change-log.ts';
import type { ReadLag } from '../ports/object-log.ts';
import type { Revision } from '../ports/rows.ts';

/** A watermark is added when a reader came this far above the newest. */
const RAISE_AFTER = 32;

/** A store without lag shows at once whatever was seen in its log, whichever way the clock went meanwhile. */
const hasCaughtUp = ({ at }: Watermark, lagMs: number, now: EpochMs): boolean =>
  lagMs === 0 || at <= now - lagMs;

/** The revision up to which rows that are read from `now` on, with this lag, show every change; the seed, if none is known. */
export const visibleUpTo = ({ watermarks, seed }: Counter, lagMs: number, now: EpochMs): Revision =>
  watermarks.findLast((mark) => hasCaughtUp(mark, lagMs, now))?.revision ?? seed;

/**
 * The watermarks with `mark` behind them, at most one for each lag of the table and none that no list needs any more;
 * `undefined`: not worth a write. `own` is the revision that the same reader put last: while no list can use that one, `mark`
 * takes its place. Watermarks of other readers stay: if each reader replaced the newest, it would never become old enough.
 */
export const withWatermark = (
  { watermarks, seed }: Counter,
  mark: Watermark,
  { tableMs, indexMs }: ReadLag,
  own?: Revision,
): readonly Watermark[] | undefined => {
  const kept = watermarks.filter((one) => one.revision !== own || hasCaughtUp(one, tableMs, mark.at));
  const newest = kept.at(-1);
  if (mark.revision - (newest?.revision ?? seed) < RAISE_AFTER) return undefined;
  if (newest && !hasCaughtUp(newest, tableMs, mark.at)) return undefined;
  const marks = [...kept, mark];
  const needed = marks.findLastIndex((one) => hasCaughtUp(one, indexMs, mark.at));
  return marks.slice(Math.max(needed, 0));
};
