/** An enemy swaps folders for links while its volume is removed: no file of the machine goes. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTrash, removeTree } from '../../agent/adapters/linux/trees/remove-tree.ts';
import { removeByPath } from '../support/agent/trees/weak-walks.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { hostileRace } from './race.ts';

const PATIENCE_MS = 60_000;
const RACES = 6;

// Only root gives files away.
describe.skipIf(process.getuid?.() !== 0)('an enemy that swaps folders while its volume is removed', () => {
  const race = hostileRace();

  it('a removal by path deletes files of the machine: the enemy is one', () => race.harms(removeByPath));

  it.each(Array.from({ length: RACES }, (_, index) => index))(
    'no foreign file goes with the volume, and the volume is gone at once: race %i',
    async () => {
      const place = race.place();
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
      const racer = await race.begin();
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
