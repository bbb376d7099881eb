import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { CapacityStore, NodeCounters } from '../../../../shared/ports/store/capacity.ts';
import { DYNAMODB_LAG } from '../../../../shared/ports/store/object-store.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import { isCapacityReconciled } from '../../../../shared/store/claims/capacity-sweep.ts';
import { repairCounters } from '../../../../shared/store/claims/repair-counters.ts';
import { createCapacityEffects } from '../../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { aNode, aPod } from '../../../support/objects/domain-objects.ts';

const NODE = 'n1';

const createWorld = (capacityOf: (inner: CapacityStore) => CapacityStore = (inner) => inner) => {
  const state = createMemoryState();
  const clock = createVirtualClock();
  const ids = { uuid: () => crypto.randomUUID(), random: () => 0.5 };
  const capacity = capacityOf(state.capacity);
  const objects = { ...state.objects, lag: DYNAMODB_LAG };
  const deps = { ...state, objects, capacity, clock, ids };
  const writer = createObjectWriter({
    ...deps,
    capacityEffects: createCapacityEffects(state.capacity),
  });
  const bind = (name: string, nodeName = NODE) =>
    writer.write({ resource: 'pods', namespace: 'default', name }, () => ({
      next: aPod({ name, nodeName }),
      writer: 'client',
    }));
  const addNode = () =>
    writer.write(nodeKey(NODE), () => ({ next: aNode({ name: NODE }), writer: 'client' }));
  const deleteNode = () => writer.write(nodeKey(NODE), () => ({ next: 'delete', writer: 'client' }));
  /** Stores counters that are wrong. */
  const spoil = async (change: (stored: NodeCounters) => Partial<NodeCounters>): Promise<void> => {
    const read = await state.capacity.counters(NODE);
    if (!read) throw new Error('there is nothing to spoil');
    await state.capacitySweep.replaceCounters(NODE, read, { ...read, ...change(read) });
  };
  const repair = (...nodes: readonly string[]) =>
    clock.run(repairCounters(deps, nodes.length === 0 ? [NODE] : nodes));
  return { ...deps, inner: state.capacity, bind, addNode, deleteNode, spoil, repair };
};

const pods = (count: number) => new Map([['pods', count]]);

describe('repairCounters (J-09)', () => {
  it('writes nothing and does not wait where counters are the sums of claims', async () => {
    const { bind, addNode, repair, inner, clock } = createWorld();
    await addNode();
    await bind('p');
    const [before, startedAt] = [await inner.counters(NODE), clock.now()];
    expect(await repair(NODE, 'unknown')).toEqual([]);
    expect(await inner.counters(NODE)).toEqual(before);
    expect(clock.now()).toBe(startedAt);
  });

  it.each([
    ['too high', 5, -4],
    ['too low', 0, 1],
  ])('repairs a counter that is %s, after a second look', async (_, stored, added) => {
    const { bind, addNode, repair, spoil, inner, clock } = createWorld();
    await addNode();
    await bind('p');
    const digest = (await inner.counters(NODE))?.digest;
    await spoil(() => ({ counters: pods(stored) }));
    const startedAt = clock.now();
    expect(await repair()).toEqual([{ node: NODE, added: pods(added), outcome: 'repaired' }]);
    expect(clock.now() - startedAt).toBe(DYNAMODB_LAG.tableMs);
    expect(await inner.counters(NODE)).toMatchObject({ counters: pods(1), digest });
  });

  it('makes counters that are missing', async () => {
    const { bind, repair, inner, capacitySweep } = createWorld();
    await bind('p');
    const read = await inner.counters(NODE);
    if (read) await capacitySweep.replaceCounters(NODE, read, undefined);
    expect(await repair()).toMatchObject([{ added: pods(1), outcome: 'repaired' }]);
    expect(await inner.counters(NODE)).toEqual({ counters: pods(1), writes: 1 });
  });

  it('leaves a difference alone that ends by itself: a claim was not visible yet', async () => {
    let looks = 0;
    const { bind, repair, inner } = createWorld((stored) => ({
      ...stored,
      allClaims: async (node) => {
        looks += 1;
        return looks === 1 ? [] : stored.allClaims(node);
      },
    }));
    await bind('p');
    expect(await repair()).toEqual([]);
    expect(looks).toBe(2);
    expect(await inner.counters(NODE)).toEqual({ counters: pods(1), writes: 1 });
  });

  it.each([
    ['between the looks', 1],
    ['after the second look', 2],
  ])('repairs nothing if a pod is bound %s', async (_, late) => {
    let looks = 0;
    const world = createWorld((stored) => ({
      ...stored,
      allClaims: async (node) => {
        const claims = await stored.allClaims(node);
        looks += 1;
        if (looks === late) await world.bind('late');
        return claims;
      },
    }));
    await world.bind('p');
    await world.spoil(() => ({ counters: pods(5) }));
    const repaired = await world.repair();
    expect(repaired.filter(({ outcome }) => outcome === 'repaired')).toEqual([]);
    expect(await world.inner.counters(NODE)).toMatchObject({ counters: pods(6) });
  });

  it('deletes what is stored of a name that has neither a Node nor claims', async () => {
    const { addNode, deleteNode, repair, inner } = createWorld();
    await addNode();
    await deleteNode();
    expect(await repair()).toEqual([{ node: NODE, added: new Map(), outcome: 'repaired' }]);
    expect(await inner.counters(NODE)).toBeUndefined();
    expect(await repair()).toEqual([]);
  });

  it('removes the digest of a Node that is gone, but keeps the counters of its pods', async () => {
    const { bind, repair, spoil, inner } = createWorld();
    await bind('p');
    await spoil(() => ({ digest: 'of a Node that is gone' }));
    expect(await repair()).toMatchObject([{ outcome: 'repaired' }]);
    expect(await inner.counters(NODE)).toEqual({ counters: pods(1), writes: 3 });
  });

  it('removes counters of free ports at once, without a word', async () => {
    const { bind, repair, spoil, inner, clock } = createWorld();
    await bind('p');
    await spoil(({ counters }) => ({ counters: new Map([...counters, ['p/TCP/80', 0]]) }));
    const startedAt = clock.now();
    expect(await repair()).toEqual([]);
    expect(clock.now()).toBe(startedAt);
    expect(await inner.counters(NODE)).toEqual({ counters: pods(1), writes: 3 });
  });
});

describe('whether everything that takes room is counted (J-10)', () => {
  it('is so from the start where there is no Node', async () => {
    expect(await isCapacityReconciled(createWorld())).toBe(true);
  });

  it('is so with Nodes only after a clean sweep', async () => {
    const { addNode, capacitySweep, ...deps } = createWorld();
    await addNode();
    const reconciled = () => isCapacityReconciled({ ...deps, capacitySweep });
    expect(await reconciled()).toBe(false);
    const first = { leaseUntil: 0, isClean: true, endedAt: 1 };
    await capacitySweep.store({ ...first, version: 1, isReconciled: false });
    expect(await reconciled()).toBe(false);
    await capacitySweep.store({ ...first, version: 2, isReconciled: true });
    expect(await reconciled()).toBe(true);
  });
});
