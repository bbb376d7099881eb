/** Beats that wait in memory: what a crash loses, and what the next process knows of it. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFiles } from '../../../shared/adapters/sqlite/files.ts';
import { openSqliteState, type SqliteState, sqliteStateOn } from '../../../shared/adapters/sqlite/state.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { packAges } from '../../../shared/rules/relays/packed-ages.ts';
import { aCommit, aLease, change, EXPIRES_AT, T0 } from '../../support/stores/builders.ts';

const SECOND = 1_000;
const clock = { now: () => T0 };

let root = '';
const states: SqliteState[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rollcall-beats-'));
});
afterEach(() => {
  for (const state of states.splice(0)) state.close();
  rmSync(root, { recursive: true });
});

const open = (name = 'state'): SqliteState => {
  const state = openSqliteState({ folder: join(root, name), clock });
  states.push(state);
  return state;
};

let crashes = 0;
/** The state that another process finds if this one is killed now. */
const afterCrash = (): SqliteState => {
  crashes += 1;
  cpSync(join(root, 'state'), join(root, `crash-${crashes}`), {
    recursive: true,
    filter: (path) => !path.endsWith('lock'),
  });
  return open(`crash-${crashes}`);
};

const keyOf = (name: string) => ({ namespace: NODE_LEASE_NAMESPACE, name });
const createNode = ({ objects }: SqliteState, name: string) =>
  change(objects, {
    key: nodeKey(name),
    uid: name,
    heartbeat: { effect: 'adopt', node: name, uid: name, expiresAt: EXPIRES_AT },
  });
const beat = ({ heartbeats }: SqliteState, node: string, at: number) =>
  heartbeats.beat({ node, source: 'plain', at, expiresAt: EXPIRES_AT });
const heard = async ({ heartbeats }: SqliteState, name: string) =>
  (await heartbeats.read(keyOf(name)))?.observedAt;

describe('beats in memory (J-211)', () => {
  it('are at most the last second, and the next process knows which may be lost', async () => {
    const state = open();
    await createNode(state, 'n1');
    await createNode(state, 'n2');
    await beat(state, 'n1', T0);
    await beat(state, 'n2', T0 + 999);
    expect(await heard(state, 'n2')).toBe(T0 + 999);
    const crashed = afterCrash();
    expect(await heard(crashed, 'n1')).toBe(T0);
    expect(await heard(crashed, 'n2')).toBeUndefined();
    expect(crashed.beatsLostBefore()).toBe(T0 + SECOND);
    await beat(state, 'n1', T0 + SECOND);
    const later = afterCrash();
    expect([await heard(later, 'n1'), await heard(later, 'n2')]).toEqual([T0 + SECOND, T0 + 999]);
    expect(later.beatsLostBefore()).toBe(T0 + 2 * SECOND);
  });

  it('are never more than a group', async () => {
    const state = open();
    const names = Array.from({ length: 300 }, (_, n) => `n${n}`);
    for (const name of names) await createNode(state, name);
    for (const name of names) await beat(state, name, T0);
    const crashed = afterCrash();
    const found = await Promise.all(names.map((name) => heard(crashed, name)));
    expect(found.filter((at) => at === undefined).length).toBeLessThanOrEqual(256);
    expect(found.filter((at) => at === T0).length).toBeGreaterThanOrEqual(44);
  });

  it('are in the file after a checkpoint and after a regular end, which loses none', async () => {
    const state = open();
    await createNode(state, 'n1');
    await beat(state, 'n1', T0);
    await beat(state, 'n1', T0 + 5);
    state.checkpoint();
    expect(await heard(afterCrash(), 'n1')).toBe(T0 + 5);
    await beat(state, 'n1', T0 + 6);
    state.close();
    const next = open();
    expect(await heard(next, 'n1')).toBe(T0 + 6);
    expect(next.beatsLostBefore()).toBeUndefined();
  });

  it('move with the clock', async () => {
    const state = open();
    await createNode(state, 'n1');
    await beat(state, 'n1', T0);
    await beat(state, 'n1', T0 + 5);
    state.moveInstants(SECOND);
    expect(await heard(state, 'n1')).toBe(T0 + 5 + SECOND);
    const crashed = afterCrash();
    expect(await heard(crashed, 'n1')).toBe(T0 + 5 + SECOND);
    expect(crashed.beatsLostBefore()).toBe(T0 + 2 * SECOND);
  });

  it('of nodes that an earlier process has heard are counted once (G-17)', async () => {
    const state = open();
    for (const name of ['n1', 'n2', 'n3', 'new']) await createNode(state, name);
    for (const name of ['n1', 'n2', 'n3']) await beat(state, name, T0);
    expect(state.heardAgain()).toBe(0);
    state.close();

    const next = open();
    await beat(next, 'new', T0 + SECOND);
    await next.heartbeats.bumpWorkRevision('n1', T0 + SECOND);
    next.moveInstants(SECOND);
    const [read, back] = [{ observedAt: T0 + SECOND }, { observedAt: T0 }];
    expect(await next.heartbeats.takeBack({ node: 'n1', uid: 'n1', read, next: back })).toBe(true);
    expect(next.heardAgain()).toBe(0);
    for (const at of [2, 3]) await beat(next, 'n1', T0 + at * SECOND);
    expect(next.heardAgain()).toBe(1);
    await beat(next, 'n3', T0 + 2 * SECOND);
    expect(next.heardAgain()).toBe(2);
  });

  it('let a node renew what was lost (J-212)', async () => {
    const state = open();
    await createNode(state, 'n1');
    const lease = aLease('n1', 'n1');
    const renew = ({ heartbeats }: SqliteState, at: number, expected?: number) =>
      heartbeats.writeLease({ key: keyOf('n1'), lease, at, ...(expected === undefined ? {} : { expected }) });
    await renew(state, T0);
    await renew(state, T0 + 1, T0);
    await renew(state, T0 + 2, T0 + 1);
    const crashed = afterCrash();
    expect((await crashed.heartbeats.read(keyOf('n1')))?.version).toBe(T0 + 1);
    expect(await renew(crashed, T0 + 2, T0 + 2)).toMatchObject({
      outcome: 'stored',
      item: { version: T0 + 3 },
    });
    expect(await renew(crashed, T0 + 9, T0 + 2)).toMatchObject({ outcome: 'conflict' });
  });

  it('let a node renew what was lost while the clock was behind: versions do not go back with it (J-212)', async () => {
    const state = open();
    await createNode(state, 'n1');
    const lease = aLease('n1', 'n1');
    const renew = ({ heartbeats }: SqliteState, at: number, expected?: number) =>
      heartbeats.writeLease({ key: keyOf('n1'), lease, at, ...(expected === undefined ? {} : { expected }) });
    await renew(state, T0);
    state.moveInstants(-60 * SECOND);
    const behind = T0 - 60 * SECOND;
    await renew(state, behind + 1, T0);
    await renew(state, behind + 2, T0 + 1);
    const crashed = afterCrash();
    expect(await renew(crashed, behind + 9, T0 + 2)).toMatchObject({
      outcome: 'stored',
      item: { version: T0 + 3 },
    });
    expect(await renew(crashed, behind + 9, T0 + 9)).toMatchObject({ outcome: 'conflict' });
  });

  it('are no Leases of leader elections, whose holder is stored at once (J-210)', async () => {
    const state = open();
    await createNode(state, 'n1');
    await beat(state, 'n1', T0);
    const key = keyOf('election');
    const lease = aLease('election', 'u');
    await state.heartbeats.writeLease({ key, lease, at: T0 });
    const taken = { ...lease, spec: { ...lease.spec, holderIdentity: 'other' } };
    await state.heartbeats.writeLease({ key, lease: taken, at: T0 + 1, expected: T0 });
    expect((await afterCrash().heartbeats.read(key))?.lease?.spec.holderIdentity).toBe('other');
  });

  it('refuse flips of their nodes, each alone, in a group of flips', async () => {
    const state = open();
    for (const name of ['n1', 'n2', 'n3']) await createNode(state, name);
    await beat(state, 'n2', T0 + 5);
    const flips = await Promise.all(
      ['n1', 'n2', 'n3'].map(async (name) => {
        const row = await state.objects.read(nodeKey(name));
        const { highest: revision } = await state.objects.takeRevisions('nodes', 1, T0);
        const heartbeat = { effect: 'unmoved', node: name, observedAt: undefined } as const;
        return aCommit({ key: nodeKey(name), uid: name, revision, expected: row?.revision ?? 0, heartbeat });
      }),
    );
    const outcomes = state.commitTogether(flips).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['committed', 'checkFailed', 'committed']);
    expect([await heard(state, 'n1'), await heard(state, 'n2')]).toEqual([undefined, T0 + 5]);
  });

  it('of births that share a group are all lost if one cannot be written, and are repaired', async () => {
    const files = openFiles({ folder: join(root, 'state'), clock });
    const notices: string[] = [];
    const options = { folder: join(root, 'state'), clock, onNotice: (text: string) => notices.push(text) };
    const state = sqliteStateOn(files, options);
    states.push(state);
    const births = ['n1', 'n2', 'n3'].map((name, place) => {
      const heartbeat = { effect: 'adopt', node: name, uid: name, expiresAt: EXPIRES_AT } as const;
      return aCommit({ key: nodeKey(name), uid: name, revision: place + 1, heartbeat });
    });
    files.heartbeats.exec(
      `CREATE TRIGGER full BEFORE INSERT ON item WHEN NEW.path LIKE '%n2' BEGIN SELECT RAISE(ABORT, 'no space'); END`,
    );
    expect(state.commitTogether(births).map(({ outcome }) => outcome)).toEqual(Array(3).fill('committed'));
    const uidOf = async (from: SqliteState, name: string) => (await from.heartbeats.read(keyOf(name)))?.uid;
    expect([await uidOf(state, 'n1'), await uidOf(state, 'n3')]).toEqual([undefined, undefined]);
    files.heartbeats.exec('DROP TRIGGER full');
    state.checkpoint();
    for (const name of ['n1', 'n2', 'n3'])
      expect([await uidOf(state, name), await uidOf(afterCrash(), name)]).toEqual([name, name]);
    expect(notices).toEqual([
      expect.stringContaining('a heartbeat item was not written'),
      expect.stringContaining('3 heartbeat items did not agree'),
    ]);
  });

  it('are refused when the disk is full, as soon as they have to be written', async () => {
    const files = openFiles({ folder: join(root, 'state'), clock });
    const state = sqliteStateOn(files, { folder: join(root, 'state'), clock });
    states.push(state);
    await createNode(state, 'n1');
    await beat(state, 'n1', T0);
    files.heartbeats.exec(
      "CREATE TRIGGER full BEFORE INSERT ON beat BEGIN SELECT RAISE(ABORT, 'no space'); END",
    );
    await beat(state, 'n1', T0 + 1);
    await expect(beat(state, 'n1', T0 + SECOND)).rejects.toThrow();
    expect(await heard(state, 'n1')).toBe(T0 + 1);
    files.heartbeats.exec('DROP TRIGGER full');
    await beat(state, 'n1', T0 + SECOND);
    expect(await heard(afterCrash(), 'n1')).toBe(T0 + SECOND);
  });
});

describe('the ages of a part in the file', () => {
  const part = { relay: 'site', part: 0 };
  const ages = [{ ageMs: 1_234, isPlain: false }, null, { ageMs: 5, isPlain: true }];
  const stored = { relayed: { sequence: 1, receivedAt: T0, roster: 1, ages } };

  it('are objects, as earlier versions stored and read them', async () => {
    const files = openFiles({ folder: join(root, 'state'), clock });
    const state = sqliteStateOn(files, { folder: join(root, 'state'), clock });
    states.push(state);
    const beats = { ...stored.relayed, ages: packAges(ages) };
    await state.heartbeats.replaceRelayed(part, undefined, beats, EXPIRES_AT);
    const [row] = files.heartbeats.prepare<{ readonly rare: string }>('SELECT rare FROM item').all();
    expect(JSON.parse(row?.rare ?? '')).toEqual(stored);
    files.heartbeats.prepare('UPDATE item SET rare = ?').run(JSON.stringify(stored));
    expect(await afterCrash().heartbeats.readRelay(part)).toEqual({ beats });
  });
});
