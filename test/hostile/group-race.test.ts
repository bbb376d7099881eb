/** An enemy swaps folders for links while its volume is given to its group: no file of the machine changes. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { giveTree } from '../../agent/adapters/linux/trees/give-tree.ts';
import { TooDeep } from '../../agent/adapters/linux/trees/safe-walk.ts';
import { setUpLocal } from '../../agent/volumes/local.ts';
import { ENEMY, type HostilePlace, hostilePlace } from '../support/agent/trees/foreign-files.ts';
import { makeDeep, type Racer, startRacer } from '../support/agent/trees/racer.ts';
import { giveByPath } from '../support/agent/trees/weak-walks.ts';

const FOLDERS = 4;
/** How often a walk has the chance to do harm. */
const TRIES = 50_000;
const WALKS = 200;

let place: HostilePlace;
let racer: Racer | undefined;

// Only root gives files away.
describe.skipIf(process.getuid?.() !== 0)(
  'an enemy that swaps folders while its volume is given away',
  () => {
    beforeEach(() => {
      place = hostilePlace();
    });

    afterEach(async () => {
      await racer?.end();
      racer = undefined;
      rmSync(place.root, { recursive: true, force: true });
    });

    it('has files of the machine by a walk by path', async () => {
      const before = place.facts().join();
      racer = await startRacer(place.volume, place.foreign, FOLDERS);
      let tries = 0;
      for (; tries < TRIES && place.facts().join() === before; tries += 1)
        for (const name of readdirSync(place.volume)) giveByPath(join(place.volume, name), ENEMY);
      expect(tries).toBeLessThan(TRIES);
    });

    it('has none of them', async () => {
      const before = place.facts();
      racer = await startRacer(place.volume, place.foreign, FOLDERS);
      for (let walk = 0; walk < WALKS; walk += 1) await giveTree(place.volume, 6000 + (walk % 2));
      expect(place.facts()).toEqual(before);
    });

    it('has a fault of the volume if that is deeper than it may be', async () => {
      await makeDeep(place.volume, 300);
      await expect(giveTree(place.volume, ENEMY)).rejects.toThrow(TooDeep);
      expect(await setUpLocal(place.volume, 6000)).toBe(
        `path "${place.volume}" cannot be given to the group 6000: it has more than 256 levels of folders`,
      );
    });
  },
);
