// Claims and counters under races, crashes and lost answers: nothing of ours above what a node has, and at quiet all agree.

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { sweep as sweepTurn } from '../../../../lambdas/capacity-release/sweep.ts';
import { sweepPart } from '../../../../lambdas/capacity-release/sweep-part.ts';
import { createHostileCapacityStore } from '../../../../shared/adapters/hostile/capacity-store.ts';
import { createHostileCapacitySweepStore } from '../../../../shared/adapters/hostile/capacity-sweep.ts';
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
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { CapacityStore } from '../../../../shared/ports/store/capacity.ts';
import type { CapacitySweepStore } from '../../../../shared/ports/store/capacity-sweep.ts';
import type { HeartbeatStore } from '../../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import type { ObjectKey, Row } from '../../../../shared/ports/store/rows.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { bindPod } from '../../../../shared/rules/pods/binding.ts';
import type { CapacityClaim } from '../../../../shared/rules/scheduling/cluster/capacity-claim.ts';
import { claimOf } from '../../../../shared/rules/scheduling/cluster/capacity-claim.ts';
import { nodeInfo } from '../../../../shared/rules/scheduling/cluster/cluster.ts';
import { sumOfClaims } from '../../../../shared/rules/scheduling/node-counters.ts';
import { collides, hostPortsOf } from '../../../../shared/rules/scheduling/pods/host-ports.ts';
import { podRequests } from '../../../../shared/rules/scheduling/pods/pod-requests.ts';
import { bindWithin } from '../../../../shared/store/claims/bind-within.ts';
import { isCapacityReconciled } from '../../../../shared/store/claims/capacity-sweep.ts';
import { seeClaims } from '../../../../shared/store/claims/claims-of-node.ts';
import { reconcileClaims } from '../../../../shared/store/claims/reconcile-claims.ts';
import { releaseClaims, releaseStaleClaims } from '../../../../shared/store/claims/release-claims.ts';
import { createCapacityEffects } from '../../../../shared/store/writer/capacity-effects.ts';
import type { ObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { idsOf } from '../../../support/faults/chance-ids.ts';
import { ignoreFaults } from '../../../support/faults/ignore-faults.ts';
import { oneOf } from '../../../support/faults/one-of.ts';
import { sqliteStates } from '../../../support/stores/sqlite-folders.ts';

const NODES = ['n1', 'n2', 'n3', 'n4', 'n5'];
const BINDERS = 20;
const OTHERS = 24;
const OPERATIONS = 8;
/** Fewer names than pods that are made, so that names are used again. */
const POD_NAMES = 60;

interface Stores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly capacity: CapacityStore;
  readonly capacitySweep: CapacitySweepStore;
}

interface World {
  readonly clock: VirtualClock;
  readonly state: Stores;
  readonly history: SharedHistory;
  readonly chance: Chance;
  readonly outcomes: Map<string, number>;
}

const processOf = ({ clock, state, history, chance }: World, rates: FaultRates) => {
  const own = chance.fork();
  const process = createHostileProcess(clock, own, rates);
  const objects = createHostileObjectStore(state.objects, history, process);
  const capacity = createHostileCapacityStore(state.capacity, history, process);
  const capacitySweep = createHostileCapacitySweepStore(state.capacitySweep, history, process);
  const { heartbeats } = state;
  const deps = { objects, capacity, capacitySweep, clock: process.clock, ids: idsOf(own), heartbeats };
  const capacityEffects = createCapacityEffects(capacity);
  return { ...deps, writer: createObjectWriter({ ...deps, capacityEffects }), chance: own };
};

type Process = ReturnType<typeof processOf>;

const podKey = (name: string): ObjectKey => ({ resource: 'pods', namespace: 'default', name });
const anyPod = (chance: Chance): ObjectKey => podKey(`p${Math.floor(chance.upTo(POD_NAMES))}`);

const someRequests = (chance: Chance): Readonly<Record<string, string>> => ({
  cpu: `${Math.floor(chance.upTo(2_000))}m`,
  ...(chance.hit(0.5) ? { memory: `${Math.floor(chance.upTo(3_000))}` } : {}),
  ...(chance.hit(0.1) ? { 'example.com/gpu': '1' } : {}),
});

const somePorts = (chance: Chance): readonly object[] => {
  if (!chance.hit(0.3)) return [];
  const hostIP = oneOf(chance, ['', '0.0.0.0', '10.0.0.1', '10.0.0.2']);
  return [{ hostPort: oneOf(chance, [80, 81]), containerPort: 80, ...(hostIP ? { hostIP } : {}) }];
};

const newPod = ({ chance, ids }: Process, { name }: ObjectKey, nodeName = ''): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, uid: ids.uuid() },
  spec: {
    ...(nodeName ? { nodeName } : {}),
    containers: [{ name: 'main', resources: { requests: someRequests(chance) }, ports: somePorts(chance) }],
  },
  status: { phase: 'Pending' },
});

const newNode = (name: string, uid: string, cpu: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid },
  spec: {},
  status: { allocatable: { cpu: `${cpu}m`, memory: '12000', pods: '9', 'example.com/gpu': '1' } },
});

const write = (
  writer: ObjectWriter,
  key: ObjectKey,
  change: (stored: ApiObject | undefined) => ApiObject | 'delete' | undefined,
) =>
  writer.write(key, (row) => {
    const next = change(liveRow(row)?.object);
    return next && { next, writer: 'client' };
  });

/** Makes the pod if there is none. */
const createPod = (process: Process, key: ObjectKey, nodeName?: string) =>
  write(process.writer, key, (stored) => (stored ? undefined : newPod(process, key, nodeName)));

const read = async <T extends ApiObject>({ objects }: Process, key: ObjectKey): Promise<T | undefined> =>
  liveRow(await objects.read(key))?.object as T | undefined;

/** Tells the releaser of a pod, unless the message is lost, and perhaps twice. */
const release = async (world: World, { metadata, spec }: Pod): Promise<void> => {
  const copies = world.chance.hit(0.3) ? 0 : 1 + Number(world.chance.hit(0.3));
  for (let copy = 0; copy < copies; copy += 1)
    void world.clock
      .sleep(world.chance.upTo(2_000))
      .then(() => releaseClaims(processOf(world, BAD_DAY), spec.nodeName ?? '', [metadata.uid ?? '']))
      .catch(ignoreFaults);
};

const bindOne = async (world: World, process: Process): Promise<void> => {
  const key = anyPod(process.chance);
  await createPod(process, key);
  const pod = await read<Pod>(process, key);
  const node = await read<Node>(process, nodeKey(oneOf(process.chance, NODES)));
  if (!pod || !node) return;
  // Others change the node while the scheduler thinks.
  await process.clock.sleep(process.chance.upTo(200));
  const outcome = await bindWithin(process.writer, { pod: key, uid: pod.metadata.uid ?? '', node });
  world.outcomes.set(outcome, (world.outcomes.get(outcome) ?? 0) + 1);
};

const bindForeign = async (_world: World, process: Process): Promise<void> => {
  const key = anyPod(process.chance);
  const nodeName = oneOf(process.chance, NODES);
  await createPod(process, key, process.chance.hit(0.5) ? nodeName : undefined);
  await write(process.writer, key, (stored) => {
    const pod = stored as Pod | undefined;
    if (!pod || pod.spec.nodeName) return undefined;
    return bindPod(pod, { nodeName, annotations: { foreign: 'true' } }, process.clock.now());
  });
};

const createBound = async (_world: World, process: Process): Promise<void> => {
  await createPod(process, anyPod(process.chance), oneOf(process.chance, NODES));
};

const endPod = async (world: World, process: Process): Promise<void> => {
  const phase = oneOf(process.chance, ['Succeeded', 'Failed']);
  const result = await write(process.writer, anyPod(process.chance), (stored) => {
    const pod = stored as Pod | undefined;
    return pod?.spec.nodeName ? { ...pod, status: { ...pod.status, phase } } : undefined;
  });
  if (result.outcome === 'written') await release(world, result.object as Pod);
};

const deletePod = async (world: World, process: Process): Promise<void> => {
  const key = anyPod(process.chance);
  const result = await write(process.writer, key, (stored) => stored && 'delete');
  if (result.outcome !== 'written') return;
  await release(world, result.object as Pod);
  if (process.chance.hit(0.5)) await createPod(process, key, oneOf(process.chance, NODES));
};

const resizePod = async (_world: World, process: Process): Promise<void> => {
  await write(process.writer, anyPod(process.chance), (stored) => {
    if (!stored) return undefined;
    const pod = stored as Pod;
    const resources = { requests: someRequests(process.chance) };
    const [container = { name: 'main' }] = pod.spec['containers'] as readonly { readonly name: string }[];
    return { ...pod, spec: { ...pod.spec, containers: [{ ...container, resources }] } };
  });
};

const changeNode = async (_world: World, process: Process): Promise<void> => {
  const name = oneOf(process.chance, NODES);
  const isReplaced = process.chance.hit(0.3);
  await write(process.writer, nodeKey(name), (stored) => {
    if (isReplaced && stored) return 'delete';
    return newNode(
      name,
      stored?.metadata.uid ?? process.ids.uuid(),
      5_000 + Math.floor(process.chance.upTo(4_000)),
    );
  });
  if (isReplaced)
    await write(
      process.writer,
      nodeKey(name),
      (stored) => stored ?? newNode(name, process.ids.uuid(), 8_000),
    );
};

/** All that a sweep does to some nodes. */
const sweepSome = async (_world: World, process: Process): Promise<void> => {
  const { failed } = await sweepPart(process, [oneOf(process.chance, NODES), oneOf(process.chance, NODES)]);
  for (const { error } of failed) ignoreFaults(error);
};

const NO_QUEUES = { send: async () => undefined };

const sweepInTurns = async (_world: World, process: Process): Promise<void> => {
  await sweepTurn({ ...process, queues: NO_QUEUES });
};

const releaseAll = async (_world: World, process: Process): Promise<void> => {
  for (const node of NODES) await releaseStaleClaims(process, node, await seeClaims(process, node));
};

const reconcile = async (_world: World, process: Process): Promise<void> => {
  const node = oneOf(process.chance, NODES);
  await reconcileClaims(process, node, await seeClaims(process, node));
};

type Work = (world: World, process: Process) => Promise<void>;

const actor = async (world: World, works: readonly Work[]): Promise<void> => {
  await world.clock.sleep(world.chance.upTo(10_000));
  let process = processOf(world, BAD_DAY);
  for (let done = 0; done < OPERATIONS; done += 1) {
    const work = oneOf(process.chance, works);
    await work(world, process).catch((error: unknown) => {
      ignoreFaults(error);
      if (error instanceof Crash) process = processOf(world, BAD_DAY);
    });
    await world.clock.sleep(process.chance.upTo(300));
  }
};

const OTHER_WORKS = [
  bindForeign,
  createBound,
  createBound,
  endPod,
  deletePod,
  deletePod,
  resizePod,
  changeNode,
  releaseAll,
  reconcile,
  sweepSome,
  sweepSome,
  sweepInTurns,
];

/** A process of an earlier version, which keeps no claims. */
const bindAsBefore = async (_world: World, process: Process): Promise<void> => {
  const before = createObjectWriter(process);
  await createPod({ ...process, writer: before }, anyPod(process.chance), oneOf(process.chance, NODES));
};

const spoilCounters = async ({ state }: World, process: Process): Promise<void> => {
  const node = oneOf(process.chance, NODES);
  const read = await state.capacity.counters(node);
  if (!read) return;
  const counters = new Map([...read.counters].map(([name, amount]) => [name, amount + 1]));
  await state.capacitySweep.replaceCounters(node, read, { ...read, counters });
};

const live = async (world: World, works = OTHER_WORKS): Promise<void> => {
  const calm = processOf(world, NO_FAULTS);
  for (const name of NODES)
    await write(calm.writer, nodeKey(name), () => newNode(name, `uid-${name}`, 8_000));
  await Promise.all([
    ...Array.from({ length: BINDERS }, () => actor(world, [bindOne])),
    ...Array.from({ length: OTHERS }, () => actor(world, works)),
  ]);
  // Lost answers may still be carried out, and a query may show claims as they were nine seconds ago.
  await world.clock.sleep(20_000);
};

/** Whatever the sweeps have done under way, nothing was ever wrong. */
const expectHealthy = async (world: World): Promise<void> => {
  const swept = await sweepPart(processOf(world, NO_FAULTS), NODES);
  expect(swept).toMatchObject({ left: 0, failed: [], repaired: [] });
};

/** Sweeps every minute, as a schedule does, until a clean sweep has ended. The index of pods is up to date by then. */
const sweepUntilClean = async (world: World): Promise<void> => {
  await world.clock.sleep(70_000);
  for (let turns = 0; turns < 10; turns += 1) {
    await sweepInTurns(world, processOf(world, NO_FAULTS));
    await world.clock.sleep(60 * 60_000);
  }
  expect(await isCapacityReconciled(world.state)).toBe(true);
};

const podsIn = async ({ objects }: Pick<Stores, 'objects'>): Promise<readonly Pod[]> =>
  (await objects.page({ resource: 'pods', namespace: '' })).rows.map(({ object }) => object as Pod);

const byUid = <T extends { readonly uid: string }>(list: readonly T[]): readonly T[] =>
  list.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));

const withoutZeros = (counters: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...counters].filter(([, amount]) => amount !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** At quiet: sums = claims = requests of the pods that have not ended. Claims of others may be missing where pods were bound without. */
const expectAgreement = async (
  { objects, capacity }: Stores,
  compares: (claim: CapacityClaim) => boolean = () => true,
): Promise<void> => {
  const pods = await podsIn({ objects });
  for (const node of NODES) {
    const own = pods.filter(({ spec }) => spec.nodeName === node);
    const claims = await capacity.allClaims(node);
    const asWanted = own.map((pod) => claimOf(pod, 0));
    const counted = ({ ended, ...claim }: CapacityClaim) => ({
      ...claim,
      claimedAt: 0,
      ended,
      // What an ended claim asked for counts nothing, and is not resized.
      requests: ended ? new Map() : claim.requests,
    });
    expect(byUid(claims.filter(compares).map(counted))).toEqual(
      byUid(asWanted.filter(compares).map(counted)),
    );
    const stored = await capacity.counters(node);
    expect(withoutZeros(stored?.counters ?? new Map())).toEqual(withoutZeros(sumOfClaims(asWanted)));
  }
};

/** What every bind of ours is held to at the moment when it is stored, by nothing but the stored pods and the Node. */
const createReferee = () => {
  const pods = new Map<string, Pod>();
  const nodes = new Map<string, Node>();
  const faults: string[] = [];
  let binds = 0;

  const judge = (pod: Pod): void => {
    const { nodeName = '' } = pod.spec;
    const node = nodes.get(nodeName);
    if (!node) {
      faults.push(`${nodeName} does not exist`);
      return;
    }
    const others = [...pods.values()].filter(
      (one) => one.spec.nodeName === nodeName && one.metadata.uid !== pod.metadata.uid,
    );
    const { allocatable, requested, pods: running, hostPorts } = nodeInfo(node, others);
    const own = podRequests(pod);
    for (const [name, amount] of own)
      if (amount > 0 && (requested.get(name) ?? 0) + amount > (allocatable.get(name) ?? 0))
        faults.push(`${nodeName} has not enough ${name}`);
    if (running.length + 1 > (allocatable.get('pods') ?? 0)) faults.push(`${nodeName} has too many pods`);
    if (hostPortsOf(pod).some((port) => hostPorts.some((taken) => collides(port, taken))))
      faults.push(`${nodeName} has that port twice`);
  };

  const see = (before: Row | undefined, after: Row): void => {
    const { key } = after;
    if (key.resource === 'nodes') {
      if (after.state === 'live') nodes.set(key.name, after.object);
      else nodes.delete(key.name);
    }
    if (key.resource !== 'pods') return;
    if (after.state === 'marker') {
      pods.delete(key.name);
      return;
    }
    const pod = after.object as Pod;
    pods.set(key.name, pod);
    const was = liveRow(before)?.object as Pod | undefined;
    const isOurs = was && !was.spec.nodeName && pod.spec.nodeName && !pod.metadata.annotations?.['foreign'];
    if (!isOurs) return;
    binds += 1;
    judge(pod);
  };
  return { see, faults, binds: () => binds };
};

const createWorld = (seed: number, state: Stores, clock: VirtualClock): World => ({
  clock,
  state,
  history: createSharedHistory(),
  chance: createChance(seed),
  outcomes: new Map(),
});

const sqlite = sqliteStates();

afterEach(sqlite.dispose);

describe('claims and counters with faults', () => {
  it('never let a bind of ours exceed what its node has, and agree with the pods at quiet (J-01, J-07, J-08)', async () => {
    const outcomes = new Map<string, number>();
    let binds = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const referee = createReferee();
        const state = createMemoryState();
        state.listen(referee.see);
        const clock = createVirtualClock();
        const world = createWorld(seed, state, clock);
        await clock.run(live(world).then(() => expectHealthy(world)));
        expect(referee.faults).toEqual([]);
        await expectAgreement(state);
        binds += referee.binds();
        for (const [outcome, count] of world.outcomes)
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
      }),
      { numRuns: 40 },
    );
    // The runs meet what they are about.
    expect(binds).toBeGreaterThan(200);
    expect(outcomes.get('refused')).toBeGreaterThan(200);
  });

  it('agree with the pods after sweeps, also if some were lost or wrong (J-08, J-09, J-11)', async () => {
    const works = [...OTHER_WORKS, bindAsBefore, bindAsBefore, spoilCounters];
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const clock = createVirtualClock();
        const state = createMemoryState();
        const world = createWorld(seed, state, clock);
        await clock.run(live(world, works).then(() => sweepUntilClean(world)));
        await expectAgreement(state, ({ ended }) => !ended);
      }),
      { numRuns: 15 },
    );
  });

  it('agree with the pods at quiet in SQLite, too (J-01, J-07, J-08)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const clock = createVirtualClock();
        const state = sqlite.open(clock);
        const world = createWorld(seed, state, clock);
        await clock.run(live(world).then(() => expectHealthy(world)));
        await expectAgreement(state);
      }),
      { numRuns: 4 },
    );
  });
});
