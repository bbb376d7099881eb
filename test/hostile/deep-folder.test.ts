/** A folder of 6,000 levels: longer than any path. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runBounded } from '../../agent/adapters/linux/trees/bounded-child.ts';
import { createTrash } from '../../agent/adapters/linux/trees/remove-tree.ts';
import { treeSizes } from '../../agent/adapters/linux/trees/tree-size.ts';
import { type HostilePlace, hostilePlace } from '../support/agent/trees/foreign-files.ts';
import { makeDeep } from '../support/agent/trees/racer.ts';
import { bytesByPath, removeByPath } from '../support/agent/trees/weak-walks.ts';
import { eventually } from '../support/clocks/eventually.ts';

const PATIENCE_MS = 60_000;
const LEVELS = 6_000;

let place: HostilePlace;

// Only root gives files away.
describe.skipIf(process.getuid?.() !== 0)('a folder of 6,000 levels', () => {
  beforeEach(async () => {
    place = hostilePlace();
    await makeDeep(place.volume, LEVELS);
  });

  afterEach(async () => {
    await runBounded('rm', ['-rf', '--', place.root], { timeoutMs: PATIENCE_MS });
  });

  it('a removal by path leaves it', () => {
    removeByPath(place.volume);
    expect(existsSync(join(place.volume, 'dddddddddd'))).toBe(true);
  });

  it('a walk by path does not see what is at its end, and the measurement does', async () => {
    expect(bytesByPath(place.volume)).toBe(0);
    const found = await treeSizes([place.volume]);
    expect(found.is === 'measured' && found.sizes.get(place.volume)).toEqual({
      bytes: expect.any(Number),
      inodes: LEVELS + 2,
    });
    expect(found.is === 'measured' && found.sizes.get(place.volume)?.bytes).toBeGreaterThan(2 ** 20);
  });

  it('it leaves its place at once, and the disk later', async () => {
    const trash = createTrash({ folder: join(place.root, 'trash'), log: () => {} });
    await trash.discard(place.volume);
    expect(existsSync(place.volume)).toBe(false);
    await eventually('the trash is empty', PATIENCE_MS, async () => !trash.holds('volume'));
    expect(readdirSync(join(place.root, 'trash'))).toEqual([]);
    trash.close();
  });

  it('an agent that ended before finds it in the trash of the one before it', async () => {
    const folder = join(place.root, 'trash');
    const before = createTrash({ folder, log: () => {}, remove: async () => 'the agent ended' });
    await before.discard(place.volume);
    before.close();
    expect(readdirSync(folder)).toHaveLength(1);
    const trash = createTrash({ folder, log: () => {} });
    await eventually('the trash is empty', PATIENCE_MS, async () => !trash.holds('volume'));
    expect(readdirSync(folder)).toEqual([]);
    trash.close();
  });
});
