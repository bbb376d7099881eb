// How much of the log a list reads from the files of a host.
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteState, type SqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { createLister } from '../../../shared/store/lists/lists.ts';
import { aTombstone, change, T0 } from '../../support/stores/builders.ts';
import { removeFolder, temporaryFolder } from '../../support/stores/sqlite-folders.ts';

const NODES = { resource: 'nodes', namespace: '' };
const CHANGES = 300;

let folder: string;
let state: SqliteState;
let slotsRead: number;

beforeEach(() => {
  folder = temporaryFolder();
  slotsRead = 0;
  state = openSqliteState({ folder, clock: { now: () => T0 } });
});

afterEach(() => {
  state.close();
  removeFolder(folder);
});

const lister = () => {
  const objects = {
    ...state.objects,
    slots: async (...range: Parameters<SqliteState['objects']['slots']>) => {
      const read = await state.objects.slots(...range);
      slotsRead += read.slots.size;
      return read;
    },
  };
  const clock = { now: () => T0, sleep: async () => turn() };
  return createLister({ objects, clock, ids });
};

const createMany = async (prefix = 'n'): Promise<void> => {
  for (let n = 0; n < CHANGES; n += 1) await change(state.objects, { key: nodeKey(`${prefix}${n}`) });
};

it('a list after many changes reads none of them', async () => {
  await createMany();
  expect((await lister().list(NODES)).objects).toHaveLength(CHANGES);
  expect(slotsRead).toBe(0);
});

it('a list reads what is behind a revision that its writer has not used yet, and misses nothing', async () => {
  await createMany();
  const { highest: taken } = await state.objects.takeRevisions('nodes', 1, T0);
  await createMany('later');
  const reading = lister().list(NODES);
  await state.objects.putTombstone('nodes', aTombstone(taken));
  expect((await reading).objects).toHaveLength(2 * CHANGES);
  expect(slotsRead).toBeLessThanOrEqual(CHANGES + 1);
});

it('a next page is as old as the first one, and reads only what changed since', async () => {
  await createMany();
  const first = await lister().list({ ...NODES, limit: 100 });
  await change(state.objects, { key: nodeKey('later') });
  slotsRead = 0;
  const second = await lister().list({ ...NODES, ...(first.next ? { continueAt: first.next } : {}) });
  expect(second.objects).toHaveLength(CHANGES - 100);
  expect(slotsRead).toBe(1);
});
