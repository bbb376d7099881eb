import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { createChance } from '../../../../shared/adapters/hostile/chance.ts';
import type { SharedHistory } from '../../../../shared/adapters/hostile/object-store.ts';
import {
  createHostileObjectStore,
  createSharedHistory,
} from '../../../../shared/adapters/hostile/object-store.ts';
import type { FaultRates } from '../../../../shared/adapters/hostile/process.ts';
import {
  BAD_DAY,
  Crash,
  createHostileProcess,
  NO_FAULTS,
} from '../../../../shared/adapters/hostile/process.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { VirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { LogEntry } from '../../../../shared/ports/store/change-log.ts';
import type { HeartbeatStore } from '../../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import type { Revision } from '../../../../shared/ports/store/rows.ts';
import { createLister } from '../../../../shared/store/lists/lists.ts';
import { createLogReader } from '../../../../shared/store/log/log-reader.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { idsOf } from '../../../support/faults/chance-ids.ts';
import { entriesOf } from '../../../support/stores/log-entries.ts';
import { sqliteStates } from '../../../support/stores/sqlite-folders.ts';

const RESOURCE = 'configmaps';
const WRITERS = 50;
const OPERATIONS = 4;
/** A list of the few changes that are made here settles them in many batches. */
const SLOTS_AT_ONCE = 8;
/** How the value of an object begins that is written only to be deleted in the same commit. */
const LAST = 'last ';
const NAMES = ['a', 'b', 'c', 'd', 'e'];

interface Stores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
}

interface World {
  readonly clock: VirtualClock;
  readonly state: Stores;
  readonly history: SharedHistory;
  readonly chance: Chance;
  /** Revisions whose writers were told that they are written. */
  readonly acknowledged: Revision[];
}

const createWorld = (seed: number, createState: (clock: VirtualClock) => Stores): World => {
  const clock = createVirtualClock();
  return {
    clock,
    state: createState(clock),
    history: createSharedHistory(),
    chance: createChance(seed),
    acknowledged: [],
  };
};

const processOf = ({ clock, state, history, chance }: World, rates: FaultRates) => {
  const own = chance.fork();
  const process = createHostileProcess(clock, own, rates);
  const objects = createHostileObjectStore(state.objects, history, process);
  return { objects, clock: process.clock, ids: idsOf(own), heartbeats: state.heartbeats, chance: own };
};

type Process = ReturnType<typeof processOf>;

const objectOf = (name: string, uid: string, value: string): ApiObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name, uid },
    data: { value },
  }) as ApiObject;

const operate = async (world: World, { chance, ...deps }: Process): Promise<void> => {
  const name = NAMES[Math.floor(chance.upTo(NAMES.length))] ?? 'a';
  const value = deps.ids.uuid();
  const result = await createObjectWriter(deps).write(
    { resource: RESOURCE, namespace: 'default', name },
    (row) => {
      if (row?.state !== 'live') return { next: objectOf(name, value, value), writer: 'client' };
      if (chance.hit(0.3)) {
        const lastState = chance.hit(0.5) && { lastState: objectOf(name, row.uid, `${LAST}${value}`) };
        return { next: 'delete', ...lastState, writer: 'client' };
      }
      return { next: objectOf(name, row.uid, value), writer: 'client' };
    },
  );
  if (result.outcome === 'written') world.acknowledged.push(Number(result.object.metadata.resourceVersion));
};

const ignoreFaults = (error: unknown): void => {
  if (!(error instanceof Crash || error instanceof StatusError)) throw error;
};

const writer = async (world: World): Promise<void> => {
  await world.clock.sleep(world.chance.upTo(20_000));
  let process = processOf(world, BAD_DAY);
  for (let done = 0; done < OPERATIONS; done += 1) {
    await operate(world, process).catch((error: unknown) => {
      ignoreFaults(error);
      if (error instanceof Crash) process = processOf(world, BAD_DAY);
    });
    await world.clock.sleep(process.chance.upTo(300));
  }
};

interface Sight {
  readonly listedAt: Revision;
  readonly listed: readonly ApiObject[];
  readonly entries: LogEntry[];
}

const again = async <T>(world: World, work: () => Promise<T>): Promise<T> => {
  for (;;) {
    const result = await work().then(
      (value) => ({ value }),
      (error: unknown) => ignoreFaults(error),
    );
    if (result) return result.value;
    await world.clock.sleep(50);
  }
};

/** All pages of one list, two objects at a time, with pauses in which others write. */
const paged = async (world: World, deps: Process): Promise<Pick<Sight, 'listedAt' | 'listed'>> => {
  const lister = createLister(deps, SLOTS_AT_ONCE);
  const request = { resource: RESOURCE, namespace: 'default', limit: 2 };
  let page = await again(world, () => lister.list(request));
  const listed = [...page.objects];
  while (page.next) {
    await world.clock.sleep(world.chance.upTo(2_000));
    const continueAt = page.next;
    page = await again(world, () => lister.list({ ...request, continueAt }));
    listed.push(...page.objects);
  }
  return { listedAt: page.revision, listed };
};

/** Lists, then follows the log until told that the writers are done and nothing has come for three seconds. */
const reader = async (world: World, writersDone: () => boolean): Promise<Sight> => {
  await world.clock.sleep(world.chance.upTo(20_000));
  const deps = processOf(world, { ...BAD_DAY, crash: 0, halfVisible: 0.5 });
  const sight: Sight = { ...(await paged(world, deps)), entries: [] };
  const log = createLogReader(deps, RESOURCE, sight.listedAt, SLOTS_AT_ONCE);
  const truth = () => world.state.objects.counter(RESOURCE).then((counter) => counter?.counter ?? 0);
  while (!(writersDone() && log.position() >= (await truth()))) {
    sight.entries.push(...(await again(world, () => log.poll())));
    await world.clock.sleep(100);
  }
  return sight;
};

const truthOf = ({ state }: World): Promise<readonly LogEntry[]> => entriesOf(state.objects, RESOURCE);

const replay = (entries: readonly LogEntry[], upTo: Revision): readonly ApiObject[] => {
  const objects = new Map<string, ApiObject>();
  for (const { key, type, object, revision } of entries) {
    if (revision > upTo) break;
    if (type === 'DELETED') objects.delete(key.name);
    else objects.set(key.name, object);
  }
  return [...objects].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
};

const revisions = (entries: readonly LogEntry[]): readonly Revision[] =>
  entries.map(({ revision }) => revision);

/** Every operation writes a value of its own. */
const valuesOf = (truth: readonly LogEntry[]): readonly unknown[] =>
  truth
    .filter(({ type }) => type !== 'DELETED')
    .map(({ object }) => (object as ApiObject & { data: unknown }).data);

const typesOf = (truth: readonly LogEntry[], name: string): string =>
  truth
    .filter(({ key }) => key.name === name)
    .map(({ type }) => type[0])
    .join('');

const isLast = ({ object }: LogEntry): boolean =>
  (object as ApiObject & { data: { value: string } }).data.value.startsWith(LAST);

/** Deletions and the last states before them: of the same object, with numbers that follow each other. */
const pairsOf = (truth: readonly LogEntry[]) =>
  truth.flatMap((entry, place) => {
    if (!isLast(entry) || entry.type === 'DELETED') return [];
    const next = truth[place + 1];
    return [[entry.key.name, entry.revision + 1, next?.key.name, next?.revision, next?.type]];
  });

const live = async (world: World) => {
  let running = WRITERS;
  const writers = Array.from({ length: WRITERS }, () =>
    writer(world).finally(() => {
      running -= 1;
    }),
  );
  const readers = Array.from({ length: 12 }, () => reader(world, () => running === 0));
  const [sights] = await world.clock.run(Promise.all([Promise.all(readers), Promise.all(writers)]));
  return { sights, truth: await truthOf(world) };
};

const sqlite = sqliteStates();

afterEach(sqlite.dispose);

describe.each([
  ['memory', 40, () => createMemoryState()],
  // One writer at a time and no lag in both: the second store only has to show that it keeps the rows as the first does.
  ['SQLite', 4, sqlite.open],
] as const)('the change log with faults, in %s', (_, numRuns, createState) => {
  it('shows every reader every committed change once, in order, from any start (V-03, V-04, V-05, V-06)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const world = createWorld(seed, createState);
        const { sights, truth } = await live(world);
        for (const { listedAt, listed, entries } of sights) {
          expect(listed).toEqual(replay(truth, listedAt));
          expect(revisions(entries)).toEqual(revisions(truth).filter((revision) => revision > listedAt));
        }
        expect(revisions(truth)).toEqual(expect.arrayContaining(world.acknowledged));
        expect(new Set(valuesOf(truth).map((value) => JSON.stringify(value))).size).toBe(
          valuesOf(truth).length,
        );
        expect(new Set(world.acknowledged).size).toBe(world.acknowledged.length);
        const pairs = pairsOf(truth);
        expect(pairs).toHaveLength(truth.filter((one) => isLast(one) && one.type === 'DELETED').length);
        for (const [name, follower, ...next] of pairs) expect(next).toEqual([name, follower, 'DELETED']);
        for (const name of NAMES) expect(typesOf(truth, name)).toMatch(/^(AM*D)*(AM*)?$/);
        const settled = await createLister(processOf(world, NO_FAULTS), SLOTS_AT_ONCE).list({
          resource: RESOURCE,
          namespace: '',
        });
        expect(settled.objects).toEqual(replay(truth, settled.revision));
      }),
      { numRuns },
    );
  });
});
