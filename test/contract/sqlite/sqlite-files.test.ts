// What the files of the SQLite adapters survive: kills, power, full disks, other processes, other versions, backups.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../shared/adapters/sqlite/file/database.ts';
import { migrate, NEWEST } from '../../../shared/adapters/sqlite/file/migrate.ts';
import { openFiles } from '../../../shared/adapters/sqlite/files.ts';
import { restoreSqliteState } from '../../../shared/adapters/sqlite/restore.ts';
import type { SqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { openSqliteState, sqliteStateOn } from '../../../shared/adapters/sqlite/state.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { createLister } from '../../../shared/store/lists/lists.ts';
import { createLogReader } from '../../../shared/store/log/log-reader.ts';
import {
  aCommit,
  aLease,
  aTombstone,
  change,
  EXPIRES_AT,
  podKey,
  T0,
} from '../../support/stores/builders.ts';
import { removeFolder, temporaryFolder } from '../../support/stores/sqlite-folders.ts';
import { createNode } from '../store/commit-effects.contract.ts';

const HOUR = 3_600_000;
const KEY = { namespace: NODE_LEASE_NAMESPACE, name: 'n1' };

let folder: string;
let now: number;
let notices: string[];
const states: SqliteState[] = [];
const clock = { now: () => now };
const notice = (text: string): void => {
  notices.push(text);
};

beforeEach(() => {
  folder = temporaryFolder();
  now = T0;
  notices = [];
});

afterEach(() => {
  for (const state of states.splice(0)) state.close();
  removeFolder(folder);
});

const open = (at = folder): SqliteState => {
  const state = openSqliteState({ folder: at, clock, onNotice: notice });
  states.push(state);
  return state;
};

const kill = async (action: string): Promise<void> => {
  const script = new URL('../../support/stores/sqlite-killed.ts', import.meta.url).pathname;
  const run = promisify(execFile)(process.execPath, [script, folder, action]);
  await expect(run).rejects.toMatchObject({ signal: 'SIGKILL' });
  const raw = new DatabaseSync(`${folder}/heartbeats.db`);
  raw.exec('DROP TRIGGER no_INSERT; DROP TRIGGER no_UPDATE');
  raw.close();
};

it('a change and a message keep the trace of what made them, also after a restart', async () => {
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const first = open();
  for (const [name, given] of Object.entries({ p1: { trace }, p2: {} })) {
    const { highest: revision } = await first.objects.takeRevisions('pods', 1, T0);
    await first.objects.commit({
      ...aCommit({ key: podKey(name), revision }),
      ...given,
    });
  }
  await first.queues.send('drain', [{ body: {}, trace }, { body: {} }]);
  first.close();
  const { feed, queues } = open();
  expect((await feed.read(0, 10)).map((one) => one.trace)).toEqual([trace, undefined]);
  expect((await queues.receive('drain', 10)).map((one) => one.trace)).toEqual([trace, undefined]);
});

describe('a crash between the two files of a commit', () => {
  it('is repaired for a Node that was created', async () => {
    await kill('create');
    const { objects, heartbeats } = open();
    expect(await objects.read(nodeKey('n1'))).toMatchObject({ uid: 'u1' });
    const item = await heartbeats.read(KEY);
    expect(item).toEqual({ ...KEY, uid: 'u1', expiresAt: T0 + 24 * HOUR });
    expect(notices).toHaveLength(1);
  });

  it('is repaired for a Node that was deleted', async () => {
    await kill('delete');
    const { objects, heartbeats } = open();
    expect(await objects.read(nodeKey('n1'))).toMatchObject({ state: 'marker' });
    expect(await heartbeats.read(KEY)).toEqual({ ...KEY, version: T0, expiresAt: T0 + 24 * HOUR });
  });

  it('is repaired for a Node whose name another one has', async () => {
    await kill('replace');
    const item = await open().heartbeats.read(KEY);
    expect(item).toEqual({ ...KEY, uid: 'u2', version: T0, expiresAt: T0 + 24 * HOUR });
  });

  it('does not change items that agree, nor Leases without a Node', async () => {
    const { heartbeats, ...rest } = open();
    await createNode({ heartbeats, ...rest }, 'u1');
    await heartbeats.beat({ node: 'n1', source: 'plain', at: T0, expiresAt: EXPIRES_AT });
    const stray = { namespace: NODE_LEASE_NAMESPACE, name: 'stray' };
    await heartbeats.writeLease({ key: stray, lease: aLease('stray', 'u'), at: T0, expiresAt: EXPIRES_AT });
    const before = [await heartbeats.read(KEY), await heartbeats.read(stray)];
    rest.close();
    const again = open();
    expect([await again.heartbeats.read(KEY), await again.heartbeats.read(stray)]).toEqual(before);
    expect(notices).toEqual([]);
  });
});

describe('the next process', () => {
  it('finds everything that the last one stored', async () => {
    const first = open();
    const { revision } = await createNode(first, 'u1');
    await first.queues.send('taint-eviction', [{ body: 'later', delaySeconds: 5 }, { body: 'now' }]);
    await first.feed.acknowledge(1);
    await change(first.objects, { key: podKey('p1') });
    first.keepAlive(T0 + 7);
    first.checkpoint();
    first.close();
    const second = open();
    expect(second.lastAlive()).toBe(T0 + 7);
    expect(await second.objects.counter('nodes')).toMatchObject({ counter: revision });
    expect((await second.queues.receive('taint-eviction', 10)).map(({ body }) => body)).toEqual(['"now"']);
    expect(second.queues.nextAt()).toBe(T0 + 5_000);
    expect(await second.feed.position()).toBe(1);
    expect((await second.feed.read(1, 10)).map(({ after }) => after?.key.name)).toEqual(['p1']);
  });

  it('continues the positions of the feed after all changes were deleted', async () => {
    const first = open();
    await createNode(first, 'u1');
    await first.feed.acknowledge(1);
    first.checkpoint();
    first.close();
    const second = open();
    expect(await second.feed.read(0, 10)).toEqual([]);
    await change(second.objects, { key: podKey('p1') });
    expect((await second.feed.read(0, 10)).map(({ position }) => position)).toEqual([2]);
  });

  it('finds no sign of life in a new folder', () => {
    expect(open().lastAlive()).toBeUndefined();
  });
});

describe('a SqliteProblem', () => {
  const problem = (kind: string, named = folder) =>
    expect.objectContaining({ name: 'SqliteProblem', kind, message: expect.stringContaining(named) });
  const failure = (work: () => unknown): unknown => {
    try {
      work();
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it('is thrown if another process uses the folder', () => {
    const first = open();
    expect(failure(() => open())).toEqual(problem('inUse'));
    first.close();
    open();
  });

  it('is thrown for a newer database', () => {
    open().close();
    const raw = new DatabaseSync(`${folder}/objects.db`);
    raw.exec(`PRAGMA user_version = ${NEWEST + 1}`);
    raw.close();
    expect(failure(() => open())).toEqual(problem('newer'));
  });

  it.each(['objects.db', 'heartbeats.db'])('is thrown for damage in %s', (file) => {
    open().close();
    writeFileSync(
      `${folder}/${file}`,
      'this was a database once, until somebody wrote a text over it. '.repeat(99),
    );
    expect(failure(() => open())).toEqual(problem('damaged'));
  });

  it('is thrown if the objects were lost but beats exist', () => {
    open().close();
    rmSync(`${folder}/objects.db`);
    expect(failure(() => open())).toEqual(problem('damaged'));
  });

  it('is thrown for a folder that cannot be created', () => {
    writeFileSync(`${folder}/file`, '');
    expect(failure(() => open(`${folder}/file/state`))).toEqual(problem('unwritable'));
  });

  it('is thrown for a read-only folder', ({ skip }) => {
    if (process.getuid?.() === 0) {
      console.log('skipped: root may write to any folder');
      skip();
    }
    const sealed = `${folder}/sealed`;
    mkdirSync(sealed, { mode: 0o500 });
    expect(failure(() => open(sealed))).toEqual(problem('unwritable'));
  });

  it('releases the lock of the folder', () => {
    open().close();
    const raw = new DatabaseSync(`${folder}/objects.db`);
    raw.exec(`PRAGMA user_version = ${NEWEST + 1}`);
    failure(() => open());
    raw.exec(`PRAGMA user_version = ${NEWEST}`);
    raw.close();
    open();
  });
});

describe('changes that no process reads', () => {
  it('are deleted, and later ones are kept for a reader that returns', async () => {
    const state = open();
    for (const name of ['n1', 'n2', 'n3']) await change(state.objects, { key: nodeKey(name) });
    state.discardChanges();
    state.checkpoint();
    expect(await state.feed.read(0, 10)).toEqual([]);
    const from = await state.feed.position();
    await change(state.objects, { key: nodeKey('n4') });
    expect((await state.feed.read(from, 10)).map(({ after }) => after?.key.name)).toEqual(['n4']);
  });
});

describe('a full disk', () => {
  const openWithFiles = () => {
    const files = openFiles({ folder, clock });
    const state = sqliteStateOn(files, { folder, clock, onNotice: notice });
    states.push(state);
    return { files, state };
  };
  const large = (state: SqliteState, n: number) =>
    state.queues.send('taint-eviction', [{ body: 'x'.repeat(50_000) + n }]);

  it('refuses writes, keeps what was stored, and accepts writes again when there is space', async () => {
    const { files, state } = openWithFiles();
    const { revision } = await createNode(state, 'u1');
    files.objects.exec('PRAGMA max_page_count = 1');
    await expect(large(state, 1)).rejects.toMatchObject({ name: 'SqliteProblem', kind: 'full' });
    expect(await state.objects.read(nodeKey('n1'))).toMatchObject({ revision });
    files.objects.exec('PRAGMA max_page_count = 100000');
    await large(state, 2);
    expect(await state.queues.receive('taint-eviction', 10)).toHaveLength(1);
  });

  it('for beats alone refuses no commit: the item is repaired at the next checkpoint', async () => {
    const { files, state } = openWithFiles();
    files.heartbeats.exec(
      "CREATE TRIGGER full BEFORE INSERT ON item BEGIN SELECT RAISE(ABORT, 'no space'); END",
    );
    await createNode(state, 'u1');
    expect(await state.heartbeats.read(KEY)).toBeUndefined();
    files.heartbeats.exec('DROP TRIGGER full');
    state.checkpoint();
    expect(await state.heartbeats.read(KEY)).toMatchObject({ uid: 'u1' });
    expect(notices).toHaveLength(2);
  });
});

describe('migrations', () => {
  const openAt = (version: number): void => {
    for (const kind of ['objects', 'heartbeats'] as const) {
      const database = openDatabase({ folder, file: `${kind}.db`, synchronous: 'FULL' });
      migrate(database, kind, folder, version);
      if (kind === 'objects')
        database.exec(`INSERT INTO object (resource, path, uid, revision, body, facts)
          VALUES ('nodes', '/n1', 'u1', 5, '{"metadata":{"name":"n1"}}', NULL)`);
      database.close();
    }
  };

  it.each(Array.from({ length: NEWEST - 1 }, (_, n) => n + 1))(
    'continue from version %i',
    async (version) => {
      openAt(version);
      const state = open();
      expect(await state.objects.read(nodeKey('n1'))).toMatchObject({ uid: 'u1', revision: 5 });
      expect(await state.heartbeats.read(KEY)).toMatchObject({ uid: 'u1' });
      await state.queues.send('taint-eviction', [{ body: 1 }]);
      await change(state.objects, { key: nodeKey('n2') });
      expect(await state.feed.read(0, 10)).toHaveLength(1);
      expect(notices.join()).toContain(`from version ${version} to ${NEWEST}`);
    },
  );

  it('keep watermarks from before they had an instant', async () => {
    openAt(2);
    const raw = openDatabase({ folder, file: 'objects.db', synchronous: 'FULL' });
    raw.exec("INSERT INTO counter VALUES ('nodes', 9, 7, 4), ('pods', 3, 3, 3)");
    raw.close();
    const { objects } = open();
    const resolved = [{ revision: 7, at: 0 }];
    expect(await objects.counter('nodes')).toEqual({ counter: 9, watermarks: resolved, seed: 4 });
    expect(await objects.counter('pods')).toEqual({ counter: 3, watermarks: [], seed: 3 });
    await objects.replaceWatermarks('nodes', resolved, []);
    expect(await objects.counter('nodes')).toMatchObject({ watermarks: [] });
  });
});

describe('the files', () => {
  const modes = (): readonly string[] =>
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => statSync(`${folder}/${name}`).isFile())
      .map((name) => `${name} ${(statSync(`${folder}/${name}`).mode & 0o777).toString(8)}`);

  it('and a backup are private to their owner, regardless of the umask', async () => {
    const umask = process.umask(0);
    try {
      const state = open();
      await createNode(state, 'u1', 'n1');
      await state.backup(`${folder}/backup.db`);
      expect(modes().length).toBeGreaterThan(4);
      expect(modes().filter((file) => !file.endsWith(' 600'))).toEqual([]);
      state.close();
      chmodSync(`${folder}/backup.db`, 0o644);
      restoreSqliteState({ file: `${folder}/backup.db`, folder, clock });
      rmSync(`${folder}/backup.db`);
      open();
      expect(modes().filter((file) => !file.endsWith(' 600'))).toEqual([]);
    } finally {
      process.umask(umask);
    }
  });
});

describe('a backup', () => {
  const file = () => `${folder}/backup.db`;
  const deps = (state: SqliteState) => ({
    ...state,
    clock: { now: () => now, sleep: async () => {} },
    ids: { uuid: () => 'id', random: () => 0 },
  });

  it('is one file, and is written while writes continue', async () => {
    const state = open();
    for (let n = 0; n < 300; n += 1) await createNode(state, `u${n}`, `n${n}`);
    const done = state.backup(file());
    for (let n = 300; n < 400; n += 1) {
      await createNode(state, `u${n}`, `n${n}`);
      state.checkpoint();
      if (n % 5 === 0) await turn();
    }
    await done;
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.db']);
    restoreSqliteState({ file: file(), folder: `${folder}/other`, clock });
    const restored = open(`${folder}/other`);
    const { rows } = await restored.objects.page({ resource: 'nodes', namespace: '' });
    expect(rows.length).toBeGreaterThanOrEqual(300);
    for (const { key, uid } of rows)
      expect(await restored.heartbeats.read({ ...KEY, name: key.name })).toMatchObject({ uid });
  });

  it('does not overwrite a file', async () => {
    writeFileSync(file(), 'mine');
    await expect(open().backup(file())).rejects.toThrow('backup.db exists');
  });

  it('restores objects, beats, Leases and the last sign of life, and moves the old state aside', async () => {
    const state = open();
    const { uid } = await createNode(state);
    const lease = aLease('n1', uid);
    await state.heartbeats.writeLease({ key: KEY, lease, at: T0, expiresAt: EXPIRES_AT });
    state.keepAlive(T0);
    await state.backup(file());
    await createNode(state, 'u2', 'n2');
    state.keepAlive(T0 + HOUR);
    state.close();
    now = T0 + 2 * HOUR;
    restoreSqliteState({ file: file(), folder, clock });
    const restored = open();
    expect(await restored.objects.read(nodeKey('n1'))).toMatchObject({ uid });
    expect(await restored.objects.read(nodeKey('n2'))).toBeUndefined();
    expect(await restored.heartbeats.read(KEY)).toMatchObject({ uid, lease, observedAt: T0, version: now });
    expect(await restored.heartbeats.read({ ...KEY, name: 'n2' })).toBeUndefined();
    expect(restored.lastAlive()).toBe(T0);
    expect(readdirSync(`${folder}/replaced-${now}`)).toContain('objects.db');
    expect(existsSync(file())).toBe(true);
  });

  it('repeats no revision: readers from before the restore list again', async () => {
    const state = open();
    await createNode(state);
    // Older than an hour: without the restore the floor would be here.
    await state.objects.addFloorSample('nodes', { minute: 1, counter: T0 }, EXPIRES_AT);
    await state.backup(file());
    const lost = await createNode(state, 'u2', 'n2');
    const { revision } = await createLister(deps(state)).list({ resource: 'nodes', namespace: '' });
    state.close();
    now = T0 + HOUR;
    restoreSqliteState({ file: file(), folder, clock });
    const restored = open();
    const reader = createLogReader(deps(restored), 'nodes', revision);
    await expect(reader.poll()).rejects.toMatchObject({ code: 410, reason: 'Expired' });
    const next = await createNode(restored, 'u3', 'n2');
    expect(next.revision).toBeGreaterThan(lost.revision);
    await expect(reader.poll()).rejects.toMatchObject({ code: 410, reason: 'Expired' });
    const list = await createLister(deps(restored)).list({ resource: 'nodes', namespace: '' });
    expect(list.objects.map(({ metadata }) => metadata.uid)).toEqual([expect.any(String), 'u3']);
    expect(await createLogReader(deps(restored), 'nodes', list.revision).poll()).toEqual([]);
  });

  it('is put in place by the next start if the restore was interrupted', async () => {
    const state = open();
    await createNode(state, 'u1');
    await state.backup(`${folder}/objects.db.restoring`);
    await createNode(state, 'u2', 'n2');
    state.close();
    now = T0 + HOUR;
    const restored = open();
    expect(await restored.objects.read(nodeKey('n1'))).toMatchObject({ uid: 'u1' });
    expect(await restored.objects.read(nodeKey('n2'))).toBeUndefined();
  });

  it.each([
    ['nothing', () => {}],
    ['a text', (path: string) => writeFileSync(path, 'no database. '.repeat(99))],
    ['a database of something else', (path: string) => new DatabaseSync(path).exec('CREATE TABLE a (b)')],
  ])('is refused if it is %s', (_, write) => {
    write(file());
    expect(() => restoreSqliteState({ file: file(), folder, clock })).toThrow('backup.db');
  });

  it('does not replace a state that is in use', async () => {
    const state = open();
    await state.backup(file());
    expect(() => restoreSqliteState({ file: file(), folder, clock })).toThrow('another process');
  });
});

describe('the sweep', () => {
  it('removes only expired rows', async () => {
    const { objects, heartbeats, control, sweep } = open();
    await createNode({ objects, heartbeats }, 'u1');
    const gone = await createNode({ objects, heartbeats }, 'u2', 'n2');
    await change(objects, { key: nodeKey('n2'), uid: 'u2', expected: gone.revision, type: 'DELETED' });
    await heartbeats.beat({ node: 'n2', source: 'plain', at: T0, expiresAt: T0 + HOUR });
    await objects.addFloorSample('nodes', { minute: 1, counter: 1 }, T0 + 4 * HOUR);
    const deadline = { namespace: 'a', name: 'p', uid: 'u', nodeName: 'n1', start: T0, fireAt: T0 };
    await control.storeDeadlines([{ deadline, expiresAt: T0 + HOUR }]);
    for (let n = 0; n < 1_200; n += 1) await objects.putTombstone('pods', aTombstone(T0 + n));
    expect(await sweep(T0)).toBe(0);
    expect(await sweep(T0 + 3 * HOUR + 1)).toBe(1_200 + 3 + 1);
    expect(await objects.floorSamples('nodes')).toHaveLength(1);
    expect(await objects.read(nodeKey('n2'))).toMatchObject({ state: 'marker' });
    expect(await sweep(T0 + 25 * HOUR)).toBe(2);
    expect(await objects.read(nodeKey('n2'))).toBeUndefined();
    expect(await objects.read(nodeKey('n1'))).toMatchObject({ uid: 'u1' });
    expect(await sweep(EXPIRES_AT)).toBe(2);
    expect(await heartbeats.read(KEY)).toBeUndefined();
  });

  it('removes the uses of a token when they have expired', async () => {
    const { objects, sweep } = open();
    const tokenUse = { id: 't', most: 1, expiresAt: T0 + HOUR };
    const made = async (name: string) =>
      (await change(objects, { key: nodeKey(name), tokenUse })).outcome.outcome;
    expect([await made('a'), await made('b')]).toEqual(['committed', 'checkFailed']);
    expect([await sweep(T0 + HOUR - 1), await made('b')]).toEqual([0, 'checkFailed']);
    expect([await sweep(T0 + HOUR), await made('b')]).toEqual([1, 'committed']);
  });
});
