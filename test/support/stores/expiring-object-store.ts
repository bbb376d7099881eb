import type { Clock } from '../../../shared/ports/process/clock.ts';
import type { Slot } from '../../../shared/ports/store/change-log.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import type { Revision } from '../../../shared/ports/store/rows.ts';

/** Entries that are older than this (ms) may be removed. */
const CHANGES_TTL_MS = 3 * 60 * 60_000;
const TTL_LATE_MS = 2 * 60 * 60_000;

/** Milliseconds by which the removal of an entry is late. It differs per entry, so that they are removed in any order. */
const lateness = (revision: Revision): number => ((revision * 2_654_435_761) % 1_000) * (TTL_LATE_MS / 1_000);

/** Wraps an `ObjectStore` so that log entries expire after three hours, late and in any order, and leave holes. */
export const createExpiringObjectStore = (inner: ObjectStore, clock: Pick<Clock, 'now'>): ObjectStore => {
  const isGone = ({ revision, at }: Slot): boolean => clock.now() > at + CHANGES_TTL_MS + lateness(revision);
  return {
    ...inner,
    slots: async (resource, from, to) => {
      const { slots, upTo } = await inner.slots(resource, from, to);
      return { slots: new Map([...slots].filter(([, slot]) => !isGone(slot))), upTo };
    },
    putTombstone: async (resource, tombstone) => {
      const present = await inner.putTombstone(resource, tombstone);
      return present && !isGone(present) ? present : undefined;
    },
  };
};
