/** An enemy swaps folders for links while its volume is given to its group: no file of the machine changes. */
import { describe, expect, it } from 'vitest';
import { giveTree } from '../../agent/adapters/linux/trees/give-tree.ts';
import { TooDeep } from '../../agent/adapters/linux/trees/safe-walk.ts';
import { setUpLocal } from '../../agent/volumes/local.ts';
import { ENEMY } from '../support/agent/trees/foreign-files.ts';
import { makeDeep } from '../support/agent/trees/racer.ts';
import { giveByPath } from '../support/agent/trees/weak-walks.ts';
import { hostileRace } from './race.ts';

const WALKS = 200;

// Only root gives files away.
describe.skipIf(process.getuid?.() !== 0)(
  'an enemy that swaps folders while its volume is given away',
  () => {
    const race = hostileRace();

    it('has files of the machine by a walk by path', () => race.harms((path) => giveByPath(path, ENEMY)));

    it('has none of them', async () => {
      const place = race.place();
      const before = place.facts();
      await race.begin();
      for (let walk = 0; walk < WALKS; walk += 1) await giveTree(place.volume, 6000 + (walk % 2));
      expect(place.facts()).toEqual(before);
    });

    it('has a fault of the volume if that is deeper than it may be', async () => {
      const { volume } = race.place();
      await makeDeep(volume, 300);
      await expect(giveTree(volume, ENEMY)).rejects.toThrow(TooDeep);
      expect(await setUpLocal(volume, 6000)).toBe(
        `path "${volume}" cannot be given to the group 6000: it has more than 256 levels of folders`,
      );
    });
  },
);
