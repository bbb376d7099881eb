// The machine's clock is set: what is stored moves along.

import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteState, type SqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { NODE_LEASE_NAMESPACE, TAINT_UNREACHABLE } from '../../../shared/kube/types/well-known.ts';
import type { PodDeadline } from '../../../shared/ports/store/control-store.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import type { HoldBook } from '../../../shared/rules/holds/hold-book.ts';
import { packAges } from '../../../shared/rules/relays/packed-ages.ts';
import type { RelayBeats, RelayRoster } from '../../../shared/rules/relays/relay-items.ts';
import type { CapacityClaim } from '../../../shared/rules/scheduling/cluster/capacity-claim.ts';
import {
  aLease,
  change,
  EXPIRES_AT,
  nodeFacts,
  podFacts,
  podKey,
  T0,
} from '../../support/stores/builders.ts';
import { removeFolder, temporaryFolder } from '../../support/stores/sqlite-folders.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;
const STEPS = [-YEAR, -HOUR, -90_000, -3_000, 3_000, HOUR, YEAR];

let folder: string;
let state: SqliteState;
let now: number;

const open = (): SqliteState => openSqliteState({ folder, clock: { now: () => now } });

beforeEach(() => {
  folder = temporaryFolder();
  now = T0;
  state = open();
});

afterEach(() => {
  state.close();
  removeFolder(folder);
});

const SEEN = { topic: 'absent-node', name: 'gone', uid: 'g', since: T0 - 3_000 } as const;
const DEADLINE: PodDeadline = {
  namespace: 'default',
  name: 'p1',
  uid: 'p',
  nodeName: 'n1',
  start: T0 - 1_000,
  fireAt: T0 + 299_000,
};

const SWEEP = {
  version: 1,
  leaseUntil: T0 + 5_000,
  isClean: true,
  endedAt: T0 - 60_000,
  isReconciled: true,
};
const CLAIM: CapacityClaim = {
  uid: 'p',
  namespace: 'default',
  name: 'p1',
  claimedAt: T0 - 2_000,
  requests: new Map([['cpu', 100]]),
  ports: [],
  ended: false,
};

const ABSENCES = [
  { goneAt: T0 - 9_000, backAt: T0 - 8_000, lostAt: T0 - 8_500 },
  { goneAt: T0 - 7_000, backAt: T0 - 6_000, isWork: true },
];
const LIMITER = { rate: 0.1, nextAt: T0 + 4_000 };

const PART = { relay: 'site', part: 0 };
const ROSTER: RelayRoster = {
  revision: 2,
  entries: [
    { name: 'm1', uid: 'u1', untilAt: T0 + HOUR, since: 1 },
    { name: 'm2', uid: 'u2', untilAt: T0 + HOUR, since: 2 },
  ],
};
const RELAYED: RelayBeats = {
  sequence: 7,
  receivedAt: T0 - 1_000,
  roster: 2,
  ages: packAges([{ ageMs: 500, isPlain: false }, null]),
};

const fill = async (): Promise<void> => {
  const { objects, control, heartbeats, queues } = state;
  const adopt = { effect: 'adopt', node: 'n1', uid: 'n', expiresAt: EXPIRES_AT } as const;
  const taint = { key: TAINT_UNREACHABLE, since: T0 - 1_000 };
  const facts = { node: nodeFacts({ readyTransitionAt: T0 - 5_000, noExecute: [taint] }) };
  await change(objects, { key: nodeKey('n1'), uid: 'n', facts, heartbeat: adopt });
  const pod = podFacts({ nodeName: 'n1', boundAt: T0 - 2_000 });
  await change(objects, { key: podKey('p1'), uid: 'p', facts: { pod } });
  const lease = { key: { namespace: NODE_LEASE_NAMESPACE, name: 'n1' }, lease: aLease('n1', 'n') };
  await heartbeats.writeLease({ ...lease, at: T0 - 500, expiresAt: EXPIRES_AT });
  const moved = { node: 'n1', uid: 'n', read: {}, next: { aheadAt: T0 - 400 } };
  await heartbeats.takeBack(moved);
  const patience = { silentMs: 31_000, learnedAt: T0 - 600 };
  await heartbeats.learn({ node: 'n1', uid: 'n', read: undefined, next: patience });
  await heartbeats.replaceRoster(PART, undefined, ROSTER, EXPIRES_AT);
  await heartbeats.replaceRelayed(PART, undefined, RELAYED, EXPIRES_AT);
  await control.startPass(T0, T0, 10_000);
  await control.raiseClockFloor(T0 - 50, 1);
  await control.takeBackClockFloor(T0 - 50, T0 - 100);
  state.absences.recordAbsences(ABSENCES);
  const zone = { id: 'a', key: ':\0:a', state: 'Normal', size: 1, notReady: 1 } as const;
  const rest = { waiting: ['n1'], waitingCount: 1, pass: 1, updatedAt: T0 };
  await control.writeZone({ ...zone, ...rest, limiter: LIMITER }, undefined);
  await control.moveWakeAt('a', undefined, T0 + 4_000);
  await control.storeDeadlines([{ deadline: DEADLINE, expiresAt: DEADLINE.fireAt + HOUR }]);
  await state.capacity.write({
    node: 'n1',
    claims: [{ uid: 'p', read: undefined, next: CLAIM }],
    checks: [],
  });
  await state.capacitySweep.store(SWEEP);
  await control.replaceSighting(SEEN, undefined, SEEN);
  await control.replaceHoldBook(0, bookMovedBy(0));
  await queues.send('taint-eviction', [{ body: { at: 1 }, delaySeconds: 60 }]);
  for (const minute of [100, 101, 102])
    await objects.addFloorSample('nodes', { minute, counter: minute }, EXPIRES_AT);
  state.keepAlive(T0, { uptimeMs: 1_000, bootId: 'b' });
};

/** What a person has written stays: until when the hold lasts. */
const bookMovedBy = (ms: number): HoldBook => {
  const scope = { uid: 'u', name: 'h', stops: ['Drains'] as const, from: T0 - 9_000 + ms };
  const past = { ...scope, to: T0 - 3_000 + ms, spreadMs: 5_000 };
  return { v: 1, epoch: 2, active: [{ ...scope, until: T0 + HOUR }], past: [past] };
};

const factsOf = async (key: ReturnType<typeof nodeKey>) => {
  const row = await state.objects.read(key);
  return row?.state === 'live' ? row.facts : undefined;
};

const expectMovedBy = async (ms: number): Promise<void> => {
  const { control, heartbeats, queues, objects } = state;
  expect((await factsOf(nodeKey('n1')))?.node).toMatchObject({
    createdAt: T0 + ms,
    readyTransitionAt: T0 - 5_000 + ms,
    noExecute: [{ key: TAINT_UNREACHABLE, since: T0 - 1_000 + ms }],
  });
  expect((await factsOf(podKey('p1')))?.pod).toMatchObject({ boundAt: T0 - 2_000 + ms });
  expect(await heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name: 'n1' })).toMatchObject({
    observedAt: T0 - 500 + ms,
    leaseAt: T0 - 500 + ms,
    aheadAt: T0 - 400 + ms,
    patience: { silentMs: 31_000, learnedAt: T0 - 600 + ms },
    version: T0 - 500,
    expiresAt: EXPIRES_AT + ms,
  });
  expect(await heartbeats.readRelay(PART)).toEqual({
    roster: { ...ROSTER, entries: ROSTER.entries.map((one) => ({ ...one, untilAt: T0 + HOUR + ms })) },
    beats: { ...RELAYED, receivedAt: T0 - 1_000 + ms },
  });
  expect(await control.readPass()).toEqual({
    pass: 1,
    lastTick: T0 + ms,
    leaseUntil: T0 + 10_000 + ms,
    clockFloor: T0 - 100 + ms,
    aheadFloor: T0 - 50 + ms,
    floorPass: 1,
    absences: ABSENCES.map(({ goneAt, backAt, lostAt, ...rest }) => ({
      ...rest,
      goneAt: goneAt + ms,
      backAt: backAt + ms,
      ...(lostAt !== undefined && { lostAt: lostAt + ms }),
    })),
  });
  expect(state.absences.absences()).toEqual((await control.readPass())?.absences);
  expect(await control.zone('a')).toMatchObject({
    limiter: { rate: 0.1, nextAt: T0 + 4_000 + ms },
    wakeAt: T0 + 4_000 + ms,
    updatedAt: T0 + ms,
  });
  const { start, fireAt } = DEADLINE;
  const moved = { ...DEADLINE, start: start + ms, fireAt: fireAt + ms };
  expect(await control.deadlines([DEADLINE])).toEqual([moved]);
  expect((await control.dueDeadlines(fireAt + ms)).value).toEqual([moved]);
  expect((await control.dueDeadlines(fireAt + ms - 1)).value).toEqual([]);
  expect(await control.holdBook()).toEqual(bookMovedBy(ms));
  expect(await control.sighting(SEEN)).toEqual({ ...SEEN, since: SEEN.since + ms });
  expect(await state.capacity.allClaims('n1')).toEqual([{ ...CLAIM, claimedAt: T0 - 2_000 + ms }]);
  expect(await state.capacitySweep.read()).toEqual({
    ...SWEEP,
    leaseUntil: T0 + 5_000 + ms,
    endedAt: T0 - 60_000 + ms,
  });
  expect(queues.nextAt()).toBe(T0 + MINUTE + ms);
  const minutes = Math.round(ms / MINUTE);
  expect(await objects.floorSamples('nodes')).toEqual(
    [100, 101, 102].map((minute) => ({ minute: minute + minutes, counter: minute })),
  );
  expect(state.lastAlive()).toBe(T0 + ms);
};

describe('stored instants, when the clock was set', () => {
  it.each(STEPS)('all shift by %i ms, and no revision does', async (byMs) => {
    await fill();
    state.moveInstants(byMs);
    await expectMovedBy(byMs);
    expect(state.lastMachineTime()).toEqual({ uptimeMs: 1_000, bootId: 'b' });
  });

  it('shift again at the next step', async () => {
    await fill();
    state.moveInstants(HOUR);
    state.moveInstants(-2 * HOUR);
    await expectMovedBy(-HOUR);
  });

  it('of messages shift also where a queue was found empty before', async () => {
    await fill();
    expect(await state.queues.receive('taint-eviction', 10)).toEqual([]);
    state.moveInstants(-MINUTE);
    expect(await state.queues.receive('taint-eviction', 10)).toHaveLength(1);
  });

  it('do not shift twice after a crash between the two files', async () => {
    await fill();
    const other = new DatabaseSync(`${folder}/heartbeats.db`);
    other.exec("CREATE TRIGGER broken BEFORE UPDATE ON item BEGIN SELECT RAISE(ABORT, 'injected'); END");
    expect(() => state.moveInstants(HOUR)).toThrow('injected');
    other.exec('DROP TRIGGER broken');
    other.close();
    state.close();
    state = open();
    expect(state.lastAlive()).toBe(T0);
    state.moveInstants(HOUR);
    await expectMovedBy(HOUR);
  });

  it('are still absent if none were stored', () => {
    state.moveInstants(HOUR);
    expect(state.lastAlive()).toBeUndefined();
    expect(state.lastMachineTime()).toBeUndefined();
  });

  it('keep the value 0, which means none', async () => {
    await state.control.startPass(T0, T0, 10_000);
    state.moveInstants(HOUR);
    expect(await state.control.readPass()).toMatchObject({ clockFloor: 0, floorPass: 0 });
  });
});
