/** An enemy swaps folders for links while its volume is removed: no file of the machine goes. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrash, removeTree } from '../../agent/adapters/linux/trees/remove-tree.ts';
import { type HostilePlace, hostilePlace } from '../support/agent/trees/foreign-files.ts';
import { type Racer, startRacer } from '../support/agent/trees/racer.ts';
import { removeByPath } from '../support/agent/trees/weak-walks.ts';
import { eventually } from '../support/clocks/eventually.ts';

const PATIENCE_MS = 60_000;
const FOLDERS = 4;
/** How often a walk has the chance to do harm. */
const TRIES = 50_000;
const RACES = 6;

let place: HostilePlace;
let racer: Racer | undefined;

// Only root gives files away.
describe.skipIf(process.getuid?.() !== 0)('an enemy that swaps folders while its volume is removed', () => {
  beforeEach(() => {
    place = hostilePlace();
  });

  afterEach(async () => {
    await racer?.end();
    racer = undefined;
    rmSync(place.root, { recursive: true, force: true });
  });

  it('a removal by path deletes files of the machine: the enemy is one', async () => {
    const before = place.facts().join();
    racer = await startRacer(place.volume, place.foreign, FOLDERS);
    let tries = 0;
    // The enemy stays in the volume, so that stays.
    for (; tries < TRIES && place.facts().join() === before; tries += 1)
      for (const name of readdirSync(place.volume)) removeByPath(join(place.volume, name));
    expect(tries).toBeLessThan(TRIES);
  });

  it.each(Array.from({ length: RACES }, (_, index) => index))(
    'no foreign file goes with the volume, and the volume is gone at once: race %i',
    async () => {
      const [before, folder] = [place.facts(), join(place.root, 'trash')];
      let tries = 0;
      const trash = createTrash({
        folder,
        log: () => {},
        remove: async (path, signal) => {
          tries += 1;
          return await removeTree(path, signal);
        },
        later: (callback) => void setTimeout(callback, 1),
      });
      racer = await startRacer(place.volume, place.foreign, FOLDERS);
      await trash.discard(place.volume);
      expect(existsSync(place.volume)).toBe(false);
      await eventually('it was tried', PATIENCE_MS, async () => tries > 10 || !trash.holds('volume'));
      expect(place.facts()).toEqual(before);
      await racer.end();
      await eventually('the trash is empty', PATIENCE_MS, async () => !trash.holds('volume'));
      expect([readdirSync(folder), place.facts()]).toEqual([[], before]);
      trash.close();
    },
  );
});
