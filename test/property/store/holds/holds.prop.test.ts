// Holds, resumes, crashes, stalls and evictions at the same time: once a Hold says that it is in force, nothing that it stops is committed.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Chance, createChance } from '../../../../shared/adapters/hostile/chance.ts';
import { createHostileControlStore } from '../../../../shared/adapters/hostile/control-store.ts';
import {
  createHostileObjectStore,
  createSharedHistory,
} from '../../../../shared/adapters/hostile/object-store.ts';
import {
  BAD_DAY,
  Crash,
  createHostileProcess,
  type FaultRates,
  NO_FAULTS,
  TimedOut,
} from '../../../../shared/adapters/hostile/process.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock, type VirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { Hold } from '../../../../shared/kube/types/hold.ts';
import { LABEL_ZONE } from '../../../../shared/kube/types/well-known.ts';
import type { ControlStore } from '../../../../shared/ports/store/control-store.ts';
import type { HeartbeatStore } from '../../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { liveRow, type ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { isInForce } from '../../../../shared/rules/holds/hold-state.ts';
import { HOLDS, type HoldDeps, settleHolds } from '../../../../shared/store/holds/settle-holds.ts';
import { createLister } from '../../../../shared/store/lists/lists.ts';
import { withHolds } from '../../../../shared/store/writer/destruction.ts';
import { createKnownHolds, HoldsUnreadable } from '../../../../shared/store/writer/known-holds.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { idsOf } from '../../../support/faults/chance-ids.ts';
import { sqliteStates } from '../../../support/stores/sqlite-folders.ts';

const PODS = 6;
const ZONES = ['a', 'b'];
const DESTROYERS = 5;
const EVICTIONS = 30;
const ACTS = 14;
/** A function lives for 120 s at most: a stall is shorter than what is left to `OLDEST_WRITER_MS`. */
const RATES: FaultRates = { ...BAD_DAY, halfVisible: 0, stall: 0.06, stallMs: 12_000 };

interface Stores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly control: ControlStore;
}

/** What a seeded error takes away. */
interface Broken {
  /** The epoch does not come with revisions. */
  readonly withoutEpoch?: boolean;
  /** Holes are left to their writers. */
  readonly withoutClosing?: boolean;
}

interface World {
  readonly clock: VirtualClock;
  readonly state: Stores;
  readonly history: ReturnType<typeof createSharedHistory>;
  readonly chance: Chance;
  readonly broken: Broken;
}

const podKey = (n: number): ObjectKey => ({ resource: 'pods', namespace: 'default', name: `p${n}` });
const holdKey = (name: string): ObjectKey => ({ resource: HOLDS, namespace: '', name });
const zoneOf = (n: number): string => ZONES[n % ZONES.length] ?? '';
const targetOf = (n: number) => ({ labels: { [LABEL_ZONE]: zoneOf(n) } });

const withSeededErrors = (objects: ObjectStore, { withoutEpoch, withoutClosing }: Broken): ObjectStore => ({
  ...objects,
  takeRevisions: async (...given) => {
    const taken = await objects.takeRevisions(...given);
    return withoutEpoch ? { ...taken, holdEpoch: 0 } : taken;
  },
  floorSamples: async (resource) =>
    withoutClosing && resource === 'pods'
      ? [{ minute: 0, counter: Number.MAX_SAFE_INTEGER }]
      : objects.floorSamples(resource),
});

const processOf = ({ clock, state, history, chance, broken }: World, rates: FaultRates) => {
  const own = chance.fork();
  const process = createHostileProcess(clock, own, rates);
  const objects = withSeededErrors(createHostileObjectStore(state.objects, history, process), broken);
  const control = createHostileControlStore(state.control, process);
  const deps = { objects, control, clock: process.clock, ids: idsOf(own), heartbeats: state.heartbeats };
  const holds = createKnownHolds(deps);
  const writer = withHolds(createObjectWriter(deps), holds);
  return { ...deps, holds, writer, lister: createLister(deps), chance: own, crashed: process.crashed };
};
type Process = ReturnType<typeof processOf>;

const isFault = (error: unknown): boolean =>
  [Crash, StatusError, TimedOut, HoldsUnreadable].some((kind) => error instanceof kind);

const orFault = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!isFault(error)) throw error;
  }
};

const evict = (process: Process, n: number): Promise<unknown> =>
  process.writer.destroy(podKey(n), (row) => {
    const pod = liveRow(row)?.object as Pod | undefined;
    if (!pod) return undefined;
    const evictions = String(Number(pod.metadata.labels?.['evictions'] ?? 0) + 1);
    const next = { ...pod, metadata: { ...pod.metadata, labels: { evictions, of: String(n) } } };
    return { destroyed: { next }, stops: 'Tolerations', node: targetOf(n), writer: 'controller' };
  });

/** A process that evicts, and after a crash another one in its place. */
const destroyer = async (world: World): Promise<void> => {
  let process = processOf(world, RATES);
  for (let done = 0; done < EVICTIONS; done += 1) {
    await world.clock.sleep(world.chance.upTo(2_000));
    await orFault(evict(process, Math.floor(world.chance.upTo(PODS))));
    if (process.crashed()) process = processOf(world, RATES);
  }
};

const holdDeps = (process: Process): HoldDeps => process;

const hold = async (process: Process, name: string): Promise<void> => {
  const zone = ZONES[Math.floor(process.chance.upTo(ZONES.length))] ?? '';
  const spec = process.chance.hit(0.5) ? { zones: [zone] } : {};
  const metadata = { name, uid: process.ids.uuid() };
  const next: Hold = { apiVersion: 'rollcall.dev/v1', kind: 'Hold', metadata, spec };
  await process.writer.write(holdKey(name), (row) => (liveRow(row) ? undefined : { next, writer: 'client' }));
  await settleHolds(holdDeps(process));
};

const resume = (process: Process, name: string): Promise<unknown> =>
  process.writer.write(holdKey(name), (row) =>
    liveRow(row) ? { next: 'delete', writer: 'client' } : undefined,
  );

/** People hold and resume, each by a process of its own. */
const people = async (world: World): Promise<void> => {
  for (let act = 0; act < ACTS; act += 1) {
    await world.clock.sleep(world.chance.upTo(8_000));
    const process = processOf(world, RATES);
    const name = `h${Math.floor(world.chance.upTo(3))}`;
    const work = world.chance.hit(0.6) ? hold(process, name) : resume(process, name);
    void orFault(work);
  }
};

/** The controller, of which two runs may overlap. */
const controller = async (world: World): Promise<void> => {
  for (let run = 0; run < ACTS; run += 1) {
    await world.clock.sleep(world.chance.upTo(8_000));
    await orFault(settleHolds(holdDeps(processOf(world, RATES)), 0));
  }
};

const covers = ({ spec }: Hold, pod: Pod): boolean =>
  spec?.zones === undefined || spec.zones.includes(zoneOf(Number(pod.metadata.labels?.['of'])));

/** Notes each eviction, and whether a Hold that said before and after that it is in force should have stopped it. */
const watched = (state: Stores) => {
  const seen = { evictions: 0, late: 0, inForce: 0 };
  const inForce = async (): Promise<readonly Hold[]> => {
    const { rows } = await state.objects.page({ resource: HOLDS, namespace: '' });
    return rows.map(({ object }) => object as Hold).filter(isInForce);
  };
  const commit: ObjectStore['commit'] = async (given) => {
    const before = given.key.resource === 'pods' ? await inForce() : [];
    const result = await state.objects.commit(given);
    const isEviction = given.entry.object.metadata.labels?.['evictions'] !== undefined;
    if (result.outcome !== 'committed' || !isEviction) return result;
    const after = new Set((await inForce()).map(({ metadata }) => metadata.uid));
    const stopping = before.filter(
      (one) => after.has(one.metadata.uid) && covers(one, given.entry.object as Pod),
    );
    seen.evictions += 1;
    seen.late += stopping.length;
    seen.inForce += before.length > 0 ? 1 : 0;
    return result;
  };
  return { seen, state: { ...state, objects: { ...state.objects, commit } } };
};

const live = async (world: World): Promise<void> => {
  const setUp = processOf(world, NO_FAULTS);
  for (let n = 0; n < PODS; n += 1)
    await setUp.writer.write(podKey(n), () => ({
      next: { apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${n}`, uid: `u${n}` }, spec: {} },
      writer: 'client',
    }));
  const destroyers = Array.from({ length: DESTROYERS }, () => destroyer(world));
  await Promise.all([...destroyers, people(world), controller(world), controller(world)]);
  await world.clock.sleep(120_000);
};

/** When all faults are over, the Holds that are left come into force, and what none stops is done. */
const expectSettled = async (world: World): Promise<void> => {
  const process = processOf(world, NO_FAULTS);
  const { book } = await settleHolds(holdDeps(process), 0);
  const { rows } = await world.state.objects.page({ resource: HOLDS, namespace: '' });
  expect(rows.filter(({ object }) => !isInForce(object as Hold))).toEqual([]);
  expect(book.active.map(({ uid }) => uid).toSorted()).toEqual(rows.map(({ uid }) => uid).toSorted());
  const isHeld = (n: number) =>
    book.active.some(({ zones }) => zones === undefined || zones.includes(zoneOf(n)));
  for (let n = 0; n < PODS; n += 1)
    expect(await evict(processOf(world, NO_FAULTS), n)).toMatchObject({
      outcome: isHeld(n) ? 'held' : 'written',
    });
};

const run = async (seed: number, given: Stores, clock: VirtualClock, broken: Broken = {}) => {
  const { seen, state } = watched(given);
  const history = createSharedHistory();
  const world: World = { clock, state, history, chance: createChance(seed), broken };
  await clock.run(live(world));
  if (Object.keys(broken).length === 0) await clock.run(expectSettled(world));
  return seen;
};

const sqlite = sqliteStates();

afterEach(sqlite.dispose);

describe('holds with faults', () => {
  it('stop what they cover from the moment that they say so, in memory (V-103, V-105)', async () => {
    const total = { evictions: 0, inForce: 0 };
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const { late, evictions, inForce } = await run(seed, createMemoryState(), createVirtualClock());
        expect(late).toBe(0);
        total.evictions += evictions;
        total.inForce += inForce;
      }),
      { numRuns: 60 },
    );
    // Otherwise nothing was tried: most evictions would have been held, or no Hold would have been in force.
    expect(total.evictions).toBeGreaterThan(1_000);
    expect(total.inForce).toBeGreaterThan(50);
  });

  it('the same in SQLite (V-103, V-105)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const clock = createVirtualClock();
        expect((await run(seed, sqlite.open(clock), clock)).late).toBe(0);
        sqlite.dispose();
      }),
      { numRuns: 8 },
    );
  });

  it.each([
    ['without the epoch', { withoutEpoch: true }],
    ['without closing the log', { withoutClosing: true }],
  ])('would be passed by %s (V-103, V-105)', async (_, broken) => {
    let late = 0;
    for (let seed = 0; seed < 60 && late === 0; seed += 1)
      late += (await run(seed, createMemoryState(), createVirtualClock(), broken)).late;
    expect(late).toBeGreaterThan(0);
  });
});
