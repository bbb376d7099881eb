import { setImmediate as turn } from 'node:timers/promises';
import type { ObjectStore } from '../../../ports/store/object-store.ts';
import type { Revision } from '../../../ports/store/rows.ts';
import type { Database } from '../file/database.ts';

/** Slots that are counted at a time, which takes about two milliseconds. */
const COUNTED_AT_ONCE = 65_536;

/**
 * Finds the first hole by halves: a range has none if it has as many slots as revisions. An index answers that without the bodies, and each
 * slot is counted about once.
 */
export const createFilledSlots = (objects: Database): ObjectStore['filledUpTo'] => {
  const counted = objects.prepare<{ slots: number }>(
    'SELECT count(*) AS slots FROM slot WHERE resource = ? AND revision > ? AND revision <= ?',
  );
  const areFilled = (resource: string, from: Revision, to: Revision): boolean =>
    counted.get(resource, from, to)?.slots === to - from;
  return async (resource, from, to) => {
    let [filled, most] = [from, to];
    while (filled < most) {
      const count = Math.min(Math.ceil((most - filled) / 2), COUNTED_AT_ONCE);
      if (areFilled(resource, filled, filled + count)) filled += count;
      else most = filled + count - 1;
      if (count === COUNTED_AT_ONCE) await turn();
    }
    return filled;
  };
};
