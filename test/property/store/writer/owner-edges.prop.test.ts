// Owner edges under races, crashes and lost answers: at quiet they are exactly the references of the stored objects.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Chance, createChance } from '../../../../shared/adapters/hostile/chance.ts';
import {
  createHostileObjectStore,
  createSharedHistory,
  type SharedHistory,
} from '../../../../shared/adapters/hostile/object-store.ts';
import { createHostileOwnerEdgeStore } from '../../../../shared/adapters/hostile/owner-edges.ts';
import { BAD_DAY, Crash, createHostileProcess } from '../../../../shared/adapters/hostile/process.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock, type VirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { ApiObject, OwnerReference } from '../../../../shared/kube/types/meta.ts';
import type { HeartbeatStore } from '../../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import type { OwnerEdgeStore } from '../../../../shared/ports/store/owner-edges.ts';
import { liveRow, type ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { edgesOf } from '../../../../shared/rules/owners/owner-edges.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { idsOf } from '../../../support/faults/chance-ids.ts';
import { sqliteStates } from '../../../support/stores/sqlite-folders.ts';

const OWNERS = ['a', 'b', 'c', 'd', 'e'];
const NAMES = 12;
const ACTORS = 12;
const OPERATIONS = 12;

interface Stores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly ownerEdges: OwnerEdgeStore;
}

interface World {
  readonly clock: VirtualClock;
  readonly state: Stores;
  readonly history: SharedHistory;
  readonly chance: Chance;
}

const processOf = ({ clock, state, history, chance }: World) => {
  const own = chance.fork();
  const process = createHostileProcess(clock, own, BAD_DAY);
  const objects = createHostileObjectStore(state.objects, history, process);
  const ownerEdges = createHostileOwnerEdgeStore(state.ownerEdges, history, process);
  const deps = { objects, clock: process.clock, ids: idsOf(own), heartbeats: state.heartbeats };
  return { ...deps, ownerEdges, writer: createObjectWriter(deps), chance: own };
};

type Process = ReturnType<typeof processOf>;

const anyKey = (chance: Chance): ObjectKey => ({
  resource: chance.hit(0.5) ? 'pods' : 'configmaps',
  namespace: 'default',
  name: `o${Math.floor(chance.upTo(NAMES))}`,
});

const someOwners = (chance: Chance): readonly OwnerReference[] =>
  OWNERS.filter(() => chance.hit(0.3)).map((uid) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: uid,
    uid,
    ...(chance.hit(0.5) ? { blockOwnerDeletion: chance.hit(0.5) } : {}),
  }));

const changed = (process: Process, { resource, ...key }: ObjectKey, uid: string): ApiObject => ({
  apiVersion: 'v1',
  kind: resource === 'pods' ? 'Pod' : 'ConfigMap',
  metadata: { ...key, uid, ownerReferences: someOwners(process.chance) },
  ...(resource === 'pods' ? { spec: {} } : {}),
});

/** Creates an object, changes it, or deletes it and perhaps creates another one of its name. */
const act = async (process: Process): Promise<void> => {
  const key = anyKey(process.chance);
  const isDeletion = process.chance.hit(0.3);
  await process.writer.write(key, (row) => {
    const uid = liveRow(row)?.uid;
    if (isDeletion) return uid === undefined ? undefined : { next: 'delete', writer: 'client' };
    return { next: changed(process, key, uid ?? process.ids.uuid()), writer: 'client' };
  });
  // A reader must never be broken by what it sees half of.
  const { dependents } = await process.ownerEdges.dependents({ owner: 'a', limit: 3 });
  expect(dependents.every(({ uid }) => uid !== '')).toBe(true);
};

const ignoreFaults = (error: unknown): void => {
  if (!(error instanceof Crash || error instanceof StatusError)) throw error;
};

const actor = async (world: World): Promise<void> => {
  let process = processOf(world);
  for (let done = 0; done < OPERATIONS; done += 1) {
    await act(process).catch((error: unknown) => {
      ignoreFaults(error);
      if (error instanceof Crash) process = processOf(world);
    });
    await world.clock.sleep(world.chance.upTo(300));
  }
};

const live = async (world: World): Promise<void> => {
  await Promise.all(Array.from({ length: ACTORS }, () => actor(world)));
  // Lost answers may still be carried out.
  await world.clock.sleep(20_000);
};

const allDependents = async (
  { ownerEdges }: Pick<Stores, 'ownerEdges'>,
  owner: string,
  after?: string,
): Promise<readonly string[]> => {
  const page = await ownerEdges.dependents({ owner, limit: 3, ...(after === undefined ? {} : { after }) });
  const found = page.dependents.map(
    ({ key, uid, blockOwnerDeletion }) => `${key.resource}/${key.name}/${uid}/${blockOwnerDeletion}`,
  );
  return page.next === undefined
    ? found
    : [...found, ...(await allDependents({ ownerEdges }, owner, page.next))];
};

/** What the edges should be, from nothing but the stored objects. Resolves to how many there are. */
const expectAgreement = async (state: Stores): Promise<number> => {
  const pages = await Promise.all(
    ['pods', 'configmaps'].map((resource) => state.objects.page({ resource, namespace: '' })),
  );
  const wanted = pages
    .flatMap(({ rows }) => rows)
    .flatMap(({ key, uid, object }) =>
      [...edgesOf(key.resource, object).values()].map((edge) => ({ key, uid, edge })),
    );
  for (const owner of OWNERS) {
    const own = wanted.filter(({ edge }) => edge.owner === owner);
    const texts = own.map(
      ({ key, uid, edge }) => `${key.resource}/${key.name}/${uid}/${edge.blockOwnerDeletion}`,
    );
    expect(await allDependents(state, owner)).toEqual(texts.toSorted());
  }
  return wanted.length;
};

const createWorld = (seed: number, state: Stores, clock: VirtualClock): World => ({
  clock,
  state,
  history: createSharedHistory(),
  chance: createChance(seed),
});

const sqlite = sqliteStates();

afterEach(sqlite.dispose);

describe('owner edges with faults', () => {
  it('are the references of the stored objects at quiet (K-21, K-23, K-24)', async () => {
    let edges = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const [clock, state] = [createVirtualClock(), createMemoryState()];
        await clock.run(live(createWorld(seed, state, clock)));
        edges += await expectAgreement(state);
      }),
      { numRuns: 60 },
    );
    expect(edges).toBeGreaterThan(200);
  });

  it('are the references of the stored objects at quiet in SQLite, too (K-21, K-23, K-24)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const clock = createVirtualClock();
        const state = sqlite.open(clock);
        await clock.run(live(createWorld(seed, state, clock)));
        await expectAgreement(state);
      }),
      { numRuns: 5 },
    );
  });
});
