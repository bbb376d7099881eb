import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hasManyNodes } from '../../../shared/adapters/sqlite/file/many-nodes.ts';
import { openSqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { change, podKey, T0 } from '../../support/stores/builders.ts';
import { removeFolder, temporaryFolder } from '../../support/stores/sqlite-folders.ts';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

it('a folder has many nodes if it has more than so many, also while a host has it open', async () => {
  const state = openSqliteState({ folder, clock: { now: () => T0 } });
  for (const name of ['n1', 'n2', 'n3']) await change(state.objects, { key: nodeKey(name), uid: name });
  for (const name of ['p1', 'p2']) await change(state.objects, { key: podKey(name), uid: name });
  expect([2, 3, 4].map((most) => hasManyNodes(folder, most))).toEqual([true, false, false]);
  state.close();
  expect([2, 3, 4].map((most) => hasManyNodes(folder, most))).toEqual([true, false, false]);
});

it('a folder that is new, or that nobody can read, has none that are known', () => {
  expect(hasManyNodes(folder, 0)).toBe(false);
  writeFileSync(join(folder, 'objects.db'), 'no database');
  expect(hasManyNodes(folder, 0)).toBe(false);
});
