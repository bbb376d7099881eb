// Whether a resource has rows is known on a host, whatever was written, undone and removed.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteState, type SqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { aCommit, change, T0 } from '../../support/stores/builders.ts';
import { removeFolder, temporaryFolder } from '../../support/stores/sqlite-folders.ts';

const EVENTS = 'events';
const key = { resource: EVENTS, namespace: 'default', name: 'a' };

let folder: string;
let state: SqliteState;
const open = (): SqliteState => openSqliteState({ folder, clock: { now: () => T0 } });

beforeEach(() => {
  folder = temporaryFolder();
  state = open();
});
afterEach(() => {
  state.close();
  removeFolder(folder);
});

const hasEvents = (): boolean => state.objects.mayHave(EVENTS);

it('from the first commit to the last deletion, and over a restart', async () => {
  expect(hasEvents()).toBe(false);
  const { revision } = await change(state.objects, { key });
  expect(hasEvents()).toBe(true);
  expect(state.objects.mayHave('pods')).toBe(false);
  state.close();
  state = open();
  expect(hasEvents()).toBe(true);
  await change(state.objects, { key, expected: revision, type: 'DELETED' });
  expect(hasEvents()).toBe(false);
});

it('not after a commit that was undone', async () => {
  const { highest: revision } = await state.objects.takeRevisions(EVENTS, 1, T0);
  const commit = aCommit({ key, revision });
  const unwritable = { ...commit.entry, object: { impossible: 1n } as unknown as typeof commit.entry.object };
  expect(() => state.commitTogether([{ ...commit, entry: unwritable }])).toThrow(TypeError);
  expect(hasEvents()).toBe(false);
  expect(await state.objects.read(key)).toBeUndefined();
});

it('not after the last one has expired', async () => {
  const { highest: revision } = await state.objects.takeRevisions(EVENTS, 1, T0);
  const commit = aCommit({ key, revision });
  if (commit.next === 'marker') throw new Error('a birth');
  await state.objects.commit({ ...commit, next: { ...commit.next, expiresAt: T0 + 1 } });
  expect(hasEvents()).toBe(true);
  await state.sweep(T0 + 2);
  expect(hasEvents()).toBe(false);
  expect(await state.objects.page({ resource: EVENTS, namespace: '' })).toEqual({ rows: [] });
});
