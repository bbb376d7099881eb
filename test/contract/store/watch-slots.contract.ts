import { describe, expect, it } from 'vitest';
import type { WatchSlots } from '../../../shared/ports/store/watch-slots.ts';
import { T0 } from '../../support/stores/builders.ts';

/** Slots of open watches. */
export const watchSlotsContract = (name: string, create: () => Promise<WatchSlots>): void => {
  describe(`${name}: slots of watches`, () => {
    const until = T0 + 1_000;

    it('are limited to the given number for each holder', async () => {
      const slots = await create();
      const taken = await Promise.all(Array.from({ length: 5 }, () => slots.take('a', 3, T0, until)));
      expect(new Set(taken)).toEqual(new Set([0, 1, 2, undefined]));
      expect(taken.filter((slot) => slot === undefined)).toHaveLength(2);
      expect(await slots.take('a/b', 3, T0, until)).toBeDefined();
    });

    it('are free again after their time', async () => {
      const slots = await create();
      expect(await slots.take('a', 1, T0, until)).toBe(0);
      expect(await slots.take('a', 1, until - 1, until)).toBeUndefined();
      expect(await slots.take('a', 1, until, until + 1_000)).toBe(0);
    });

    it('are free when they are released, but not when an earlier holder releases them', async () => {
      const slots = await create();
      await slots.take('a', 1, T0, until);
      await slots.release('a', 0, T0 + 1, until);
      expect(await slots.take('a', 1, T0 + 1, until + 9)).toBe(0);
      await slots.release('a', 0, T0 + 2, until);
      expect(await slots.take('a', 1, T0 + 2, until)).toBeUndefined();
    });
  });
};
