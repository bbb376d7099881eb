import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { WatchSlots } from '../../../shared/ports/store/watch-slots.ts';

/** Watch slots for the watches of one process. */
export const createMemoryWatchSlots = (): WatchSlots => {
  const taken = new Map<string, EpochMs>();
  const pathOf = (holder: string, slot: number): string => `${slot}#${holder}`;
  return {
    take: async (holder, count, now, until) => {
      for (let slot = 0; slot < count; slot += 1) {
        if ((taken.get(pathOf(holder, slot)) ?? 0) > now) continue;
        taken.set(pathOf(holder, slot), until);
        return slot;
      }
      return undefined;
    },
    release: async (holder, slot, now, until) => {
      if (taken.get(pathOf(holder, slot)) === until) taken.set(pathOf(holder, slot), now);
    },
  };
};
