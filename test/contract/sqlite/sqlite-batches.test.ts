/** Batches of relays that wait in memory: what a kill loses, and that no living node is found silent for it. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPresence } from '../../../host/beats/presence.ts';
import { runPass } from '../../../lambdas/node-monitor/reconcile.ts';
import { openSqliteState, type SqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { mergedBeats } from '../../../shared/rules/relays/merge-ages.ts';
import { isNextSequence } from '../../../shared/rules/relays/sequence.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../shared/settings/node-lifecycle.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { aKubeletNode, uidOf } from '../../bench/fleet/fleet.ts';
import { monitorDeps } from '../../bench/host/monitor-deps.ts';
import { EXPIRES_AT, T0 } from '../../support/stores/builders.ts';
import { removeFolder, temporaryFolder } from '../../support/stores/sqlite-folders.ts';

const SECOND = 1_000;
const INTERVAL = 10 * SECOND;

let root = '';
let now = T0;
const clock = { now: () => now, sleep: async () => undefined };
const states: SqliteState[] = [];

beforeEach(() => {
  root = temporaryFolder();
  now = T0;
});
afterEach(() => {
  for (const state of states.splice(0)) state.close();
  removeFolder(root);
});

const open = (name = 'state'): SqliteState => {
  const state = openSqliteState({ folder: join(root, name), clock });
  states.push(state);
  return state;
};

/** The state that another process finds if this one is killed now. */
const afterKill = (name: string): SqliteState => {
  cpSync(join(root, 'state'), join(root, name), {
    recursive: true,
    filter: (path) => !path.endsWith('lock'),
  });
  return open(name);
};

const partOf = (part: number) => ({ relay: 'site', part });
const NAMES = ['n0', 'n1'] as const;

/** A relay with a part for each node. */
const aSite = async (state: SqliteState): Promise<void> => {
  const writer = createObjectWriter({ ...state, clock, ids });
  for (const [part, name] of NAMES.entries()) {
    await writer.write(nodeKey(name), () => ({ next: aKubeletNode(name, { at: now }), writer: 'client' }));
    await state.heartbeats.joinRelay(name, uidOf(name), partOf(part));
    const entries = [{ name, uid: uidOf(name), untilAt: EXPIRES_AT, since: 1 }];
    await state.heartbeats.replaceRoster(partOf(part), undefined, { revision: 1, entries }, EXPIRES_AT);
  }
};

/** Takes a batch as the route does. Returns whether it counted. */
const batch = async (
  { heartbeats }: SqliteState,
  part: number,
  sequence: number,
  ageMs: number,
): Promise<boolean> => {
  const { roster, beats } = await heartbeats.readRelay(partOf(part));
  if (!roster || !isNextSequence(sequence, beats?.sequence)) return false;
  const name = NAMES[part] ?? '';
  const nodes = [{ name, uid: uidOf(name), ageMs, isPlain: false }];
  const next = mergedBeats(roster, beats, { sequence, nodes }, now).beats;
  return heartbeats.replaceRelayed(partOf(part), beats?.sequence, next, EXPIRES_AT);
};

const sequenceOf = async ({ heartbeats }: SqliteState, part: number) =>
  (await heartbeats.readRelay(partOf(part))).beats?.sequence;

const presenceOf = (state: SqliteState) =>
  createPresence({
    clock,
    absences: state.absences,
    alive: state,
    config: NODE_LIFECYCLE_DEFAULTS,
    onReturn: () => undefined,
  });

const flipsOf = async (state: SqliteState): Promise<number> => {
  const report = await runPass(monitorDeps(state, clock), now);
  if (report.outcome !== 'done') throw new Error('no whole pass');
  return report.flips;
};

/** Three batches of each part, the second part half a second after the first; then the process is killed. */
const killed = async (ageMs: number): Promise<SqliteState> => {
  const state = open();
  await aSite(state);
  for (let sequence = 1; sequence <= 3; sequence += 1) {
    now = T0 + sequence * INTERVAL;
    state.keepAlive(now);
    state.checkpoint();
    await batch(state, 0, sequence, ageMs);
    now += SECOND / 2;
    await batch(state, 1, sequence, ageMs);
  }
  expect(await sequenceOf(state, 1)).toBe(3);
  return afterKill('killed');
};

describe('batches in memory (J-210, J-211)', () => {
  it('are at most the last second: a kill loses them, and the relay goes on from the older number (J-160)', async () => {
    const state = await killed(0);
    expect([await sequenceOf(state, 0), await sequenceOf(state, 1)]).toEqual([3, 2]);
    expect(state.beatsLostBefore()).toBe(T0 + 3 * INTERVAL + SECOND);
    now += INTERVAL;
    expect(await batch(state, 1, 2, 0)).toBe(false);
    expect(await batch(state, 1, 4, 0)).toBe(true);
    expect((await state.heartbeats.readRelay(partOf(1))).beats).toMatchObject({
      sequence: 4,
      receivedAt: now,
    });
  });

  it('are in the file after a checkpoint, after a regular end, and with what is told of work', async () => {
    const state = open();
    await aSite(state);
    for (const part of [0, 1]) await batch(state, part, 1, 0);
    for (const part of [0, 1]) await batch(state, part, 2, 0);
    expect(await sequenceOf(afterKill('first'), 1)).toBe(1);
    state.checkpoint();
    expect(await sequenceOf(afterKill('saved'), 1)).toBe(2);
    await batch(state, 1, 3, 0);
    await state.heartbeats.bumpWorkRevision('n1', now);
    expect(await afterKill('told').heartbeats.readRelay(partOf(1))).toMatchObject({
      beats: { sequence: 3 },
      workChanges: 1,
    });
    await batch(state, 1, 4, 7);
    state.moveInstants(SECOND);
    expect(await sequenceOf(afterKill('moved'), 1)).toBe(4);
    await batch(state, 1, 5, 7);
    const before = await state.heartbeats.readRelay(partOf(1));
    state.close();
    expect(await open().heartbeats.readRelay(partOf(1))).toEqual(before);
  });

  // The machine beats each ten seconds, just after the batch; the relay tries again each ten seconds at most.
  it.each([0, 1, 5, 9, 15, 29, 45, 90])(
    'that a kill lost make no living node silent, after %i s without a host; a dead one is found',
    async (awaySeconds) => {
      const ageMs = INTERVAL - 100;
      const state = await killed(ageMs);
      const sentAt = now;
      now += awaySeconds * SECOND + 500;
      const presence = presenceOf(state);
      await presence.observe();
      let dueAt = Math.max(sentAt, now) + INTERVAL;
      let sequence = 3;
      for (const endsAt = now + 90 * SECOND; now < endsAt; now += SECOND / 2) {
        await presence.observe();
        state.checkpoint();
        if (now >= dueAt) {
          sequence += 1;
          for (const part of [0, 1]) expect(await batch(state, part, sequence, ageMs)).toBe(true);
          dueAt += INTERVAL;
        }
        expect(await flipsOf(state)).toBe(0);
      }
      // From now on only the first part's machine lives.
      const diedAt = now;
      let found = 0;
      for (; found === 0 && now < diedAt + 90 * SECOND; now += SECOND / 2) {
        await presence.observe();
        if (now >= dueAt) {
          sequence += 1;
          await batch(state, 0, sequence, ageMs);
          dueAt += INTERVAL;
        }
        found += await flipsOf(state);
      }
      expect(found).toBe(1);
      expect(now - diedAt).toBeLessThanOrEqual(41 * SECOND);
    },
  );
});
