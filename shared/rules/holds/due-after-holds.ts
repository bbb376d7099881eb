/** When that which was held is due. */
import type { HoldClass } from '../../kube/types/hold.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { concerns, type HoldTarget } from './held-by.ts';
import type { ActiveHold, HoldBook, PastHold } from './hold-book.ts';

/** A time in which something was held (ms), without its end. `to` is `Infinity` while no end is known. */
export interface HeldTime {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** The time of a hold. */
export const heldTimeOf = (hold: ActiveHold | PastHold): HeldTime => {
  if ('to' in hold) return { from: hold.from, to: hold.to };
  const { from, until = Number.POSITIVE_INFINITY } = hold;
  return { from, to: Math.max(from, until) };
};

/** The times in which holds of this class covered the node, in no order. */
export const heldTimes = (
  { active, past }: HoldBook,
  stops: HoldClass,
  target: HoldTarget,
): readonly HeldTime[] =>
  [...past, ...active].filter((hold) => concerns(hold, stops, target)).map(heldTimeOf);

/** Times that overlap or touch become one, the earliest first. */
const merged = (times: readonly HeldTime[]): readonly HeldTime[] => {
  const all: { from: EpochMs; to: EpochMs }[] = [];
  for (const { from, to } of times.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
};

/**
 * When a timer ends that began at `start` and would end at `fireAt` (ms), if the times in which it was held do not count. `Infinity`: not
 * before a hold without an end is over.
 */
export const dueAfterHolds = (start: EpochMs, fireAt: EpochMs, times: readonly HeldTime[]): EpochMs => {
  let due = fireAt;
  for (const { from, to } of merged(times)) {
    const since = Math.max(from, start);
    if (since < to && since <= due) due += to - since;
  }
  return due;
};
