import type { LogEntry, Slot } from '../../../shared/ports/store/change-log.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import type { Revision } from '../../../shared/ports/store/rows.ts';

/** The filled slots in [from, to], in as many reads as that takes. */
export const slotsBetween = async (
  objects: ObjectStore,
  resource: string,
  from: Revision,
  to: Revision,
): Promise<readonly Slot[]> => {
  const found: Slot[] = [];
  for (let next = from; next <= to; ) {
    const { slots, upTo } = await objects.slots(resource, next, to);
    found.push(...slots.values());
    next = upTo + 1;
  }
  return found;
};

/** All entries of a resource's change log that the store still has, in their order. */
export const entriesOf = async (objects: ObjectStore, resource: string): Promise<readonly LogEntry[]> => {
  const counter = await objects.counter(resource);
  if (!counter) return [];
  const slots = await slotsBetween(objects, resource, counter.seed, counter.counter);
  return slots.filter((slot) => slot.slot === 'entry');
};
