import { describe, expect, it } from 'vitest';
import { sweep } from '../../../../lambdas/capacity-release/sweep.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import { isCapacityReconciled } from '../../../../shared/store/claims/capacity-sweep.ts';
import { createCapacityEffects } from '../../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { aNode, aPod } from '../../../support/objects/domain-objects.ts';

const HOUR_MS = 3_600_000;

const createWorld = (overrides: (state: ReturnType<typeof createMemoryState>) => object = () => ({})) => {
  const state = createMemoryState();
  const clock = createVirtualClock();
  clock.advance(HOUR_MS);
  const ids = { uuid: () => crypto.randomUUID(), random: () => 0.5 };
  const woken: string[] = [];
  const queues = { send: async (queue: string) => void woken.push(queue) };
  const deps = { ...state, clock, ids, queues, ...overrides(state) };
  const old = createObjectWriter({ ...state, clock, ids });
  const capacityEffects = createCapacityEffects(state.capacity);
  const writer = createObjectWriter({ ...state, clock, ids, capacityEffects });
  const addNode = (name: string, by = writer) =>
    by.write(nodeKey(name), () => ({ next: aNode({ name }), writer: 'client' }));
  const podKey = (name: string) => ({ resource: 'pods', namespace: 'default', name });
  const addPod = (name: string, nodeName: string, by = writer) =>
    by.write(podKey(name), () => ({ next: aPod({ name, nodeName }), writer: 'client' }));
  const deletePod = (name: string) =>
    writer.write(podKey(name), () => ({ next: 'delete', writer: 'client' }));
  const run = () => clock.run(sweep(deps));
  const countedPods = async (node: string) => (await state.capacity.counters(node))?.counters.get('pods');
  return { ...deps, state, woken, old, addNode, addPod, deletePod, run, countedPods };
};

/** Runs turns until the sweep has ended, and returns their reports. */
const wholeSweep = async ({ run, state }: ReturnType<typeof createWorld>) => {
  const reports = [];
  do reports.push(await run());
  while ((await state.capacitySweep.read())?.position !== undefined);
  return reports;
};

describe('the first sweep (J-11)', () => {
  it('counts what is older than the claims, and then says so', async () => {
    const world = createWorld();
    const { addNode, addPod, old, run, state, countedPods } = world;
    await addNode('n1', old);
    await addPod('p1', 'n1', old);
    await addPod('p2', 'without-node', old);
    expect(await isCapacityReconciled(world)).toBe(false);
    const report = await run();
    expect(report).toMatchObject({ isFirst: true, failed: [], left: 0 });
    expect(report?.repaired.map(({ node, digest, claims }) => ({ node, digest, claims }))).toEqual([
      { node: 'n1', digest: true, claims: 1 },
      { node: 'without-node', digest: false, claims: 1 },
    ]);
    expect([await countedPods('n1'), await countedPods('without-node')]).toEqual([1, 1]);
    expect((await state.capacity.counters('n1'))?.digest).toBeDefined();
    expect(await isCapacityReconciled(world)).toBe(true);
  });

  it('repairs nothing where claims were kept from the start', async () => {
    const { addNode, addPod, run } = createWorld();
    await addNode('n1');
    await addPod('p1', 'n1');
    expect(await run()).toEqual({ nodes: 1, released: 0, left: 0, repaired: [], failed: [], isFirst: true });
  });

  it('ends at once where there is nothing', async () => {
    const { run } = createWorld();
    expect(await run()).toMatchObject({ nodes: 0, isFirst: true });
    expect(await run()).toBeUndefined();
  });

  it('begins anew, and binds stay forbidden, while a node could not be looked at', async () => {
    let isBroken = true;
    const world = createWorld(({ capacity }) => ({
      capacity: {
        ...capacity,
        allClaims: async (node: string) => {
          if (isBroken && node === 'n2') throw new Error('the claim cannot be read');
          return capacity.allClaims(node);
        },
      },
    }));
    const { addNode, addPod, old, run, countedPods } = world;
    await addNode('n1', old);
    await addNode('n2', old);
    await addPod('p', 'n1', old);
    expect(await run()).toMatchObject({
      isFirst: false,
      failed: [{ node: 'n2', error: new Error('the claim cannot be read') }],
    });
    expect(await countedPods('n1')).toBe(1);
    expect(await isCapacityReconciled(world)).toBe(false);
    isBroken = false;
    expect(await run()).toMatchObject({ isFirst: true, failed: [] });
    expect(await isCapacityReconciled(world)).toBe(true);
  });
});

describe('a sweep (J-11)', () => {
  it('begins an hour after the end of the one before', async () => {
    const { run, clock } = createWorld();
    expect(await run()).toBeDefined();
    clock.advance(HOUR_MS - 1);
    expect(await run()).toBeUndefined();
    clock.advance(1);
    expect(await run()).toMatchObject({ isFirst: false });
  });

  it('begins, too, if the end of the one before is ahead, because the clock was set back', async () => {
    const { run, clock, capacitySweep } = createWorld();
    const endedAt = clock.now() + 2 * HOUR_MS;
    await capacitySweep.store({ version: 1, leaseUntil: 0, isClean: true, endedAt, isReconciled: true });
    expect(await run()).toBeDefined();
  });

  it('releases the room of pods whose message was lost', async () => {
    const { addNode, addPod, deletePod, run, clock, countedPods, woken } = createWorld();
    await addNode('n1');
    await addPod('p1', 'n1');
    await addPod('p2', 'n1');
    expect(await run()).toMatchObject({ isFirst: true });
    await deletePod('p1');
    clock.advance(HOUR_MS);
    expect(await run()).toMatchObject({ released: 1, repaired: [] });
    expect(await countedPods('n1')).toBe(1);
    // Once because the scheduler may bind from now on, once because there is room.
    expect(woken).toEqual(['scheduler', 'scheduler']);
    clock.advance(HOUR_MS);
    expect(await run()).toMatchObject({ released: 0 });
    expect(woken).toHaveLength(2);
  });

  it('says which counters it has repaired', async () => {
    const { addNode, run, state } = createWorld();
    await addNode('n1');
    const read = await state.capacity.counters('n1');
    if (!read) throw new Error('there are no counters');
    await state.capacitySweep.replaceCounters('n1', read, { ...read, counters: new Map([['pods', 3]]) });
    expect((await run())?.repaired).toEqual([
      { node: 'n1', digest: false, claims: 0, added: new Map([['pods', -3]]) },
    ]);
  });

  it('goes on in the next turn after twenty seconds, at the node behind the last one', async () => {
    const seen: string[] = [];
    const world = createWorld(({ capacity }) => ({
      capacity: {
        ...capacity,
        allClaims: async (node: string) => {
          seen.push(node);
          // Looking at two nodes takes a second.
          world.clock.advance(250);
          return capacity.allClaims(node);
        },
      },
    }));
    const names = Array.from({ length: 120 }, (_, n) => `n${String(n).padStart(3, '0')}`);
    for (const name of names) await world.addNode(name);
    const reports = await wholeSweep(world);
    expect(reports.map((report) => report?.nodes)).toEqual([50, 50, 20]);
    expect([...new Set(seen)]).toEqual(names);
    expect(seen).toHaveLength(2 * names.length);
  });

  it('is left to a turn that works, until its lease is over', async () => {
    const { run, clock, capacitySweep } = createWorld();
    const leaseUntil = clock.now() + 90_000;
    await capacitySweep.store({ version: 1, leaseUntil, position: '', isClean: true, isReconciled: false });
    expect(await run()).toBeUndefined();
    clock.advance(90_000);
    expect(await run()).toMatchObject({ isFirst: true });
  });

  it('is left to another turn that has taken over meanwhile', async () => {
    const world = createWorld(({ capacity, capacitySweep }) => ({
      capacity: {
        ...capacity,
        allClaims: async (node: string) => {
          const stored = await capacitySweep.read();
          if (stored) await capacitySweep.store({ ...stored, version: stored.version + 1 });
          return capacity.allClaims(node);
        },
      },
    }));
    await world.addNode('n1');
    expect(await world.run()).toMatchObject({ isFirst: false });
    expect(await isCapacityReconciled(world)).toBe(false);
  });
});
