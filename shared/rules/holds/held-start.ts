/** Whether something that has no timer may begin. */
import type { HoldClass } from '../../kube/types/hold.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import type { HeldNode } from './eviction-after-holds.ts';
import { heldBy } from './held-by.ts';
import type { ActiveHold, HoldBook } from './hold-book.ts';
import { startAfterHolds } from './spread-after-hold.ts';

/** Why something does not begin yet, and until when (ms); `Infinity`: until a hold without an end is over. */
export interface HeldStart {
  readonly until: EpochMs;
  readonly why: string;
}

/** For people: which hold stops something, who made it, and why. */
export const holdText = ({ name, by, reason }: ActiveHold): string =>
  `held by Hold ${name}${by === undefined ? '' : ` (${by})`}${reason === undefined ? '' : `: ${reason}`}`;

/** A hold that stops something, as what waits for it sees it. */
export const startHeldBy = (hold: ActiveHold): HeldStart => ({
  until: hold.until ?? Number.POSITIVE_INFINITY,
  why: holdText(hold),
});

/** What keeps back, at `now` (ms), what began to wait at `since`; `undefined`: nothing. */
export const heldStart = (
  book: HoldBook,
  stops: HoldClass,
  { uid, target }: HeldNode,
  since: EpochMs,
  now: EpochMs,
): HeldStart | undefined => {
  const hold = heldBy(book, stops, target, now);
  if (hold) return startHeldBy(hold);
  const until = startAfterHolds(book, stops, target, uid, since);
  return until > now ? { until, why: `a hold has ended; begins at ${toTime(until)}` } : undefined;
};
