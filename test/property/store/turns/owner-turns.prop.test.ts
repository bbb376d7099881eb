// Twin runs of one owner with crashes, stalls and lost answers: never a child too many, never one too few deleted, and at quiet
// exactly the wanted children.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { createChance } from '../../../../shared/adapters/hostile/chance.ts';
import {
  createHostileObjectStore,
  createSharedHistory,
} from '../../../../shared/adapters/hostile/object-store.ts';
import { createHostileOwnerTurnStore } from '../../../../shared/adapters/hostile/owner-turn-store.ts';
import type { FaultRates } from '../../../../shared/adapters/hostile/process.ts';
import {
  BAD_DAY,
  Crash,
  createHostileProcess,
  NO_FAULTS,
  TimedOut,
} from '../../../../shared/adapters/hostile/process.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { VirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { Workload } from '../../../../shared/kube/types/workloads.ts';
import type { HeartbeatStore } from '../../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import type { OwnerTurnStore } from '../../../../shared/ports/store/owner-turns.ts';
import type { ObjectKey, Row } from '../../../../shared/ports/store/rows.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import { adopted, released } from '../../../../shared/rules/workloads/children/children.ts';
import { decideReplicas } from '../../../../shared/rules/workloads/replica-set/replica-set.ts';
import { inParallel } from '../../../../shared/store/turns/in-parallel.ts';
import {
  decideFenced,
  inTurn,
  type OwnerTurn,
  TurnLost,
} from '../../../../shared/store/turns/owner-turns.ts';
import type { ObjectWrite } from '../../../../shared/store/writer/object-writer.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { idsOf } from '../../../support/faults/chance-ids.ts';
import { anOwnedPod, aWorkload } from '../../../support/objects/workload-objects.ts';
import { sqliteStates } from '../../../support/stores/sqlite-folders.ts';

const RUNS = 12;
const LOOKS = 6;
const OWNER_KEY: ObjectKey = { resource: 'replicasets', namespace: 'default', name: 'web' };
const podKey = (name: string): ObjectKey => ({ resource: 'pods', namespace: 'default', name });

/**
 * The wrapper shows half of a transaction for seconds also to a reader that comes after its answer; DynamoDB's consistent reads do that only
 * while it is carried out. A turn relies on that difference. Stalls are longer than a turn, so that late commits meet the next one.
 */
const RATES: FaultRates = { ...BAD_DAY, halfVisible: 0, stall: 0.03, stallMs: 60_000 };

interface Stores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly ownerTurns: OwnerTurnStore;
}

interface World {
  readonly clock: VirtualClock;
  readonly state: Stores;
  readonly history: ReturnType<typeof createSharedHistory>;
  readonly chance: Chance;
}

const processOf = ({ clock, state, history, chance }: World, rates: FaultRates) => {
  const own = chance.fork();
  const process = createHostileProcess(clock, own, rates);
  const objects = createHostileObjectStore(state.objects, history, process);
  const ownerTurns = createHostileOwnerTurnStore(state.ownerTurns, process);
  const deps = { objects, ownerTurns, clock: process.clock, ids: idsOf(own), heartbeats: state.heartbeats };
  return { ...deps, writer: createObjectWriter(deps), chance: own };
};
type Process = ReturnType<typeof processOf>;

const podsOf = async ({ objects }: Pick<Stores, 'objects'>): Promise<readonly Pod[]> =>
  (await objects.page({ resource: 'pods', namespace: 'default' })).rows.map(({ object }) => object as Pod);

const ownerOf = async ({ objects }: Pick<Stores, 'objects'>): Promise<Workload> => {
  const row = liveRow(await objects.read(OWNER_KEY));
  if (!row) throw new Error('the owner is there from the beginning to the end');
  return row.object;
};

const write = async (
  { writer }: Process,
  turn: OwnerTurn,
  key: ObjectKey,
  change: (pod: Pod | undefined) => ObjectWrite['next'] | undefined,
): Promise<void> => {
  const check = await turn.fence();
  const result = await writer.write(key, (row) => {
    const next = change(liveRow(row)?.object as Pod | undefined);
    return next && { next, writer: 'controller', turn: check };
  });
  if (result.outcome === 'checkFailed') throw new TurnLost('another run has the turn');
};

const look = async (process: Process, turn: OwnerTurn): Promise<void> => {
  const decide = async () => {
    const owner = await ownerOf(process);
    const decision = decideReplicas({ owner, pods: await podsOf(process) }, process.clock.now());
    return { owner, decision };
  };
  const { owner, decision } = await decideFenced(
    turn,
    decide,
    ({ decision: { adopt, release, create, delete: gone } }) =>
      adopt.length + release.length + create + gone.length > 0,
  );
  const of = (uid: string | undefined, next: (pod: Pod) => ObjectWrite['next']) => (pod: Pod | undefined) =>
    pod && pod.metadata.uid === uid ? next(pod) : undefined;
  const { metadata } = owner;
  for (const { metadata: child } of decision.adopt)
    await write(
      process,
      turn,
      podKey(child.name),
      of(child.uid, (pod) => adopted(owner, pod)),
    );
  for (const { metadata: child } of decision.release)
    await write(
      process,
      turn,
      podKey(child.name),
      of(child.uid, (pod) => released(owner, pod)),
    );
  await turn.keep();
  const made = Array.from({ length: decision.create }, () => {
    const name = `web-${process.ids.uuid()}`;
    return anOwnedPod({ name, owner: { ...owner, metadata } });
  });
  await inParallel(made, 4, (pod) =>
    write(process, turn, podKey(pod.metadata.name), (there) => (there ? undefined : pod)),
  );
  await inParallel(decision.delete, 4, ({ metadata: { name, uid } }) =>
    write(
      process,
      turn,
      podKey(name),
      of(uid, () => 'delete'),
    ),
  );
};

const isFault = (error: unknown): boolean =>
  [Crash, StatusError, TimedOut, TurnLost].some((kind) => error instanceof kind);

/** Handles a message as a queue would: again after a failure, and after the lease of another run. */
const handle = async (world: World, rates: FaultRates): Promise<void> => {
  const process = processOf(world, rates);
  try {
    const turn = await inTurn(process, 'uid-of-web', (begun) => look(process, begun));
    const again = turn.outcome === 'held' ? turn.isFirst && turn.afterMs + 1_000 : turn.isWanted && 0;
    if (again === false) return;
    await world.clock.sleep(again);
  } catch (error) {
    if (!isFault(error)) throw error;
    await world.clock.sleep(30_000);
  }
  await handle(world, rates);
};

const runs = (world: World) =>
  Array.from({ length: RUNS }, async () => {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await world.clock.sleep(world.chance.upTo(15_000));
      await handle(world, RATES);
    }
  });

const setOwner = (process: Process, replicas: number) =>
  process.writer.write(OWNER_KEY, () => ({ next: aWorkload({ spec: { replicas } }), writer: 'client' }));

type Act = (world: World, process: Process) => Promise<unknown>;

const somePod = async (world: World, process: Process): Promise<Pod | undefined> => {
  const pods = await podsOf(world.state);
  return pods[Math.floor(process.chance.upTo(pods.length))];
};

const change = async (
  world: World,
  process: Process,
  to: (pod: Pod) => ObjectWrite['next'],
): Promise<void> => {
  const pod = await somePod(world, process);
  if (!pod) return;
  await process.writer.write(podKey(pod.metadata.name), (row) => {
    const stored = liveRow(row)?.object as Pod | undefined;
    return stored && { next: to(stored), writer: 'client' };
  });
};

const relabelled = (pod: Pod, labels: Readonly<Record<string, string>>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels },
});

/** What users do meanwhile: delete, relabel, make pods of their own, scale. */
const ACTS: readonly Act[] = [
  (world, process) => change(world, process, () => 'delete'),
  (world, process) => change(world, process, (pod) => relabelled(pod, { app: 'taken' })),
  (world, process) => change(world, process, (pod) => relabelled(pod, { app: 'web' })),
  (_world, process) => {
    const pod = anOwnedPod({ name: `foreign-${process.ids.uuid()}` });
    return process.writer.write(podKey(pod.metadata.name), () => ({ next: pod, writer: 'client' }));
  },
  (_world, process) => setOwner(process, Math.floor(process.chance.upTo(9))),
];

const users = async (world: World): Promise<void> => {
  for (let act = 0; act < 25; act += 1) {
    await world.clock.sleep(world.chance.upTo(4_000));
    const process = processOf(world, NO_FAULTS);
    await ACTS[Math.floor(process.chance.upTo(ACTS.length))]?.(world, process);
  }
};

/** A last message comes after all faults, as a sweep sends it. */
const live = async (world: World, more: (world: World) => Promise<void>): Promise<void> => {
  await setOwner(processOf(world, NO_FAULTS), 5);
  await Promise.all([...runs(world), more(world)]);
  await world.clock.sleep(60_000);
  await handle(world, NO_FAULTS);
};

const createWorld = (seed: number, state: Stores, clock: VirtualClock): World => ({
  clock,
  state,
  history: createSharedHistory(),
  chance: createChance(seed),
});

const isOurs = (row: Row | undefined): boolean =>
  (liveRow(row)?.object.metadata.ownerReferences ?? []).length > 0;

/** Counts the owner's pods after each commit. */
const createCounter = () => {
  const counts: number[] = [0];
  return {
    counts,
    see: (before: Row | undefined, after: Row): void => {
      if (after.key.resource !== 'pods') return;
      counts.push((counts.at(-1) ?? 0) + Number(isOurs(after)) - Number(isOurs(before)));
    },
  };
};

const expectExactlyWanted = async (state: Stores): Promise<void> => {
  const owner = await ownerOf(state);
  const mine = (await podsOf(state)).filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0);
  expect(mine).toHaveLength(owner.spec?.replicas ?? -1);
  expect(mine.every(({ metadata }) => metadata.labels?.['app'] === 'web')).toBe(true);
};

const sqlite = sqliteStates();

afterEach(sqlite.dispose);

describe('turns of an owner with faults', () => {
  it('twin runs never make a pod too many (W-31 to W-35)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const { see, counts } = createCounter();
        const state = createMemoryState();
        state.listen(see);
        const clock = createVirtualClock();
        await clock.run(live(createWorld(seed, state, clock), async () => {}));
        expect(Math.max(...counts)).toBe(5);
        await expectExactlyWanted(state);
      }),
      { numRuns: 60 },
    );
  });

  it('twin runs never delete a pod too many (W-31 to W-35)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const { see, counts } = createCounter();
        const state = createMemoryState();
        const clock = createVirtualClock();
        const world = createWorld(seed, state, clock);
        const process = processOf(world, NO_FAULTS);
        const owner = aWorkload();
        for (let pod = 0; pod < 12; pod += 1)
          await process.writer.write(podKey(`p${pod}`), () => ({
            next: anOwnedPod({ name: `p${pod}`, owner }),
            writer: 'client',
          }));
        state.listen(see);
        await clock.run(live(world, async () => {}));
        expect(Math.min(...counts)).toBe(5 - 12);
        await expectExactlyWanted(state);
      }),
      { numRuns: 60 },
    );
  });

  it('at quiet there are exactly the wanted pods, whatever users did (W-34)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const state = createMemoryState();
        const clock = createVirtualClock();
        await clock.run(live(createWorld(seed, state, clock), users));
        await expectExactlyWanted(state);
      }),
      { numRuns: 40 },
    );
  });

  it('the same in SQLite (W-34)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const clock = createVirtualClock();
        const state = sqlite.open(clock);
        await clock.run(live(createWorld(seed, state, clock), users));
        await expectExactlyWanted(state);
      }),
      { numRuns: 3 },
    );
  });
});
