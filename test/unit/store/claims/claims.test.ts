import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Node, Pod, PodPhase } from '../../../../shared/kube/types/core.ts';
import type { CapacityStore } from '../../../../shared/ports/store/capacity.ts';
import { MOST_CLAIMS } from '../../../../shared/ports/store/capacity.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import type { ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import { capacityDigest } from '../../../../shared/rules/scheduling/node-counters.ts';
import type { BindOutcome } from '../../../../shared/store/claims/bind-within.ts';
import { bindWithin } from '../../../../shared/store/claims/bind-within.ts';
import { seeClaims } from '../../../../shared/store/claims/claims-of-node.ts';
import { reconcileClaims } from '../../../../shared/store/claims/reconcile-claims.ts';
import { releaseClaims, releaseStaleClaims } from '../../../../shared/store/claims/release-claims.ts';
import { createCapacityEffects } from '../../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';

const NODE = 'n1';

const aNode = (allocatable: Readonly<Record<string, string>> = { cpu: '4', pods: '10' }): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: NODE, uid: 'node-uid' },
  spec: {},
  status: { allocatable },
});

interface PodParts {
  readonly cpu?: string;
  readonly nodeName?: string;
  readonly phase?: PodPhase;
  readonly uid?: string;
  readonly spec?: object;
}

const aPod = ({ cpu = '1', nodeName, phase = 'Pending', uid = 'pod-uid', spec }: PodParts = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'p', uid },
  spec: {
    ...(nodeName ? { nodeName } : {}),
    containers: [{ name: 'main', resources: { requests: { cpu } } }],
    ...spec,
  },
  status: { phase },
});

const podKey = (name = 'p'): ObjectKey => ({ resource: 'pods', namespace: 'default', name });

const createWorld = (
  capacityOf: (inner: CapacityStore) => CapacityStore = (inner) => inner,
  objectsOf: (inner: ObjectStore) => ObjectStore = (inner) => inner,
) => {
  const state = createMemoryState();
  const clock = createVirtualClock();
  const attempts: string[] = [];
  const ids = { uuid: () => `attempt-${attempts.push('')}`, random: () => 0.5 };
  const [capacity, objects] = [capacityOf(state.capacity), objectsOf(state.objects)];
  const deps = { ...state, clock, ids, capacity, objects };
  const plain = createObjectWriter({ ...state, clock, ids });
  const writer = createObjectWriter({
    ...state,
    clock,
    ids,
    capacityEffects: createCapacityEffects(capacity),
  });
  const put = (object: Pod | Node | 'delete', key: ObjectKey = podKey()) =>
    writer.write(key, () => ({ next: object, writer: 'client' }));
  const counters = async () => {
    const stored = await state.capacity.counters(NODE);
    return stored && Object.fromEntries([...stored.counters].filter(([, amount]) => amount !== 0));
  };
  const writes = async () => (await state.capacity.counters(NODE))?.writes ?? 0;
  return { ...deps, inner: state.capacity, plain, writer, put, counters, writes };
};

type World = ReturnType<typeof createWorld>;

const releaseAll = async (world: World) => releaseStaleClaims(world, NODE, await seeClaims(world, NODE));

const reconcile = async (world: World, node: string) =>
  reconcileClaims(world, node, await seeClaims(world, node));

describe('a writer that keeps claims', () => {
  it.each([
    ['created with its node', [aPod({ nodeName: NODE })]],
    ['bound by a client', [aPod(), aPod({ nodeName: NODE })]],
  ])('claims the room of a pod that is %s, also beyond what the node has (J-02)', async (_, states) => {
    const { put, counters } = createWorld();
    await put(aNode({ cpu: '500m' }), nodeKey(NODE));
    for (const pod of states) await put(pod);
    expect(await counters()).toEqual({ pods: 1, 'r/cpu': 1000 });
  });

  it('writes no claim for a pod without a node, and none for other changes of a bound pod (J-02)', async () => {
    const { put, counters, writes } = createWorld();
    await put(aPod());
    expect(await counters()).toBeUndefined();
    await put(aPod({ nodeName: NODE }));
    await put(aPod({ nodeName: NODE, phase: 'Running' }));
    await put(aPod({ nodeName: NODE, phase: 'Succeeded' }));
    await put('delete');
    expect(await writes()).toBe(1);
  });

  it('resizes the claim of a bound pod by the difference (J-03)', async () => {
    const { put, counters } = createWorld();
    await put(aPod({ nodeName: NODE }));
    await put(aPod({ nodeName: NODE, cpu: '3' }));
    expect(await counters()).toEqual({ pods: 1, 'r/cpu': 3000 });
  });

  it('resizes a pod that has no claim, from before claims were kept (J-03)', async () => {
    const { plain, put, counters } = createWorld();
    await plain.write(podKey(), () => ({ next: aPod({ nodeName: NODE }), writer: 'client' }));
    expect((await put(aPod({ nodeName: NODE, cpu: '3' }))).outcome).toBe('written');
    expect(await counters()).toBeUndefined();
  });

  it('reads a claim again that changed while it was resized (J-03)', async () => {
    let changes = 0;
    const { clock, put, counters, inner } = createWorld((stored) => ({
      ...stored,
      claimsOf: async (node, uids) => {
        const found = await stored.claimsOf(node, uids);
        const [claim] = found;
        changes += 1;
        if (claim && changes === 1) {
          const next = { ...claim, requests: new Map([['cpu', 1500]]) };
          await stored.write({ node, claims: [{ uid: claim.uid, read: claim, next }], checks: [] });
        }
        return found;
      },
    }));
    await put(aPod({ nodeName: NODE }));
    const resized = await clock.run(put(aPod({ nodeName: NODE, cpu: '2' })));
    expect(resized.outcome).toBe('written');
    expect(changes).toBe(2);
    expect(await counters()).toEqual({ pods: 1, 'r/cpu': 2000 });
    expect((await inner.allClaims(NODE))[0]?.requests.get('cpu')).toBe(2000);
  });

  it('stores the digest of a Node when it changes, and only then (J-04)', async () => {
    const { put, inner, writes } = createWorld();
    const node = aNode();
    await put(node, nodeKey(NODE));
    expect((await inner.counters(NODE))?.digest).toBe(capacityDigest(node));
    await put({ ...node, metadata: { ...node.metadata, labels: { a: 'b' } } }, nodeKey(NODE));
    await put({ ...node, status: { ...node.status, capacity: { cpu: '8' } } }, nodeKey(NODE));
    expect(await writes()).toBe(1);
    const smaller = aNode({ cpu: '1', pods: '10' });
    await put(smaller, nodeKey(NODE));
    expect((await inner.counters(NODE))?.digest).toBe(capacityDigest(smaller));
    await put('delete', nodeKey(NODE));
    expect(await inner.counters(NODE)).toMatchObject({ writes: 3 });
    expect((await inner.counters(NODE))?.digest).toBeUndefined();
  });
});

describe('a writer that keeps no claims', () => {
  it('writes nothing to claims and counters', async () => {
    const { plain, inner } = createWorld();
    await plain.write(nodeKey(NODE), () => ({ next: aNode(), writer: 'client' }));
    await plain.write(podKey(), () => ({ next: aPod({ nodeName: NODE }), writer: 'client' }));
    expect(await inner.counters(NODE)).toBeUndefined();
    expect(await inner.allClaims(NODE)).toEqual([]);
  });

  it('refuses to bind within limits that it could not keep', async () => {
    const { plain } = createWorld();
    await plain.write(podKey(), () => ({ next: aPod(), writer: 'client' }));
    const bind = bindWithin(plain, { pod: podKey(), uid: 'pod-uid', node: aNode() });
    await expect(bind).rejects.toThrow('keeps claims');
  });
});

describe('bindWithin', () => {
  it('binds a pod, with its condition (J-01)', async () => {
    const { put, writer, objects, counters } = createWorld();
    await put(aNode(), nodeKey(NODE));
    await put(aPod());
    expect(await bindWithin(writer, { pod: podKey(), uid: 'pod-uid', node: aNode() })).toBe('bound');
    const row = await objects.read(podKey());
    expect(row?.state === 'live' && row.object).toMatchObject({
      spec: { nodeName: NODE },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect(await counters()).toEqual({ pods: 1, 'r/cpu': 1000 });
  });

  const cases: readonly (readonly [string, Pod | undefined, Node, BindOutcome])[] = [
    ['a pod that is gone', undefined, aNode(), 'obsolete'],
    ['another pod of the name', aPod({ uid: 'other' }), aNode(), 'obsolete'],
    ['a bound pod', aPod({ nodeName: 'n2' }), aNode(), 'obsolete'],
    ['a gated pod', aPod({ spec: { schedulingGates: [{ name: 'wait' }] } }), aNode(), 'obsolete'],
    ['a pod that is too large', aPod({ cpu: '5' }), aNode(), 'neverFits'],
    ['a pod for which there is no room now', aPod({ cpu: '3' }), aNode(), 'refused'],
    ['a Node that has changed', aPod(), aNode({ cpu: '8', pods: '10' }), 'refused'],
  ];
  it.each(cases)('does not bind %s (J-01)', async (_, pod, node, outcome) => {
    const { put, writer, counters } = createWorld();
    await put(aNode(), nodeKey(NODE));
    await put(aPod({ nodeName: NODE, cpu: '2', uid: 'first' }), podKey('first'));
    if (pod) await put(pod);
    expect(await bindWithin(writer, { pod: podKey(), uid: 'pod-uid', node })).toBe(outcome);
    expect(await counters()).toEqual({ pods: 1, 'r/cpu': 2000 });
  });
});

describe('releaseClaims', () => {
  it('ends the claim of a pod that has ended, and deletes it when the pod is gone (J-05)', async () => {
    const world = createWorld();
    await world.put(aPod({ nodeName: NODE }));
    await world.put(aPod({ nodeName: NODE, phase: 'Succeeded' }));
    for (const release of [() => releaseClaims(world, NODE, ['pod-uid']), () => releaseAll(world)]) {
      await release();
      expect(await world.counters()).toEqual({});
      expect(await world.inner.allClaims(NODE)).toMatchObject([{ ended: true }]);
    }
    await world.put('delete');
    await releaseClaims(world, NODE, ['pod-uid']);
    expect(await world.inner.allClaims(NODE)).toEqual([]);
    expect(await world.counters()).toEqual({});
  });

  it('writes nothing for pods that run, and for pods without a claim (J-05)', async () => {
    const world = createWorld();
    await world.put(aPod({ nodeName: NODE, phase: 'Running' }));
    await releaseAll(world);
    await releaseClaims(world, NODE, ['pod-uid', 'unknown']);
    expect(await world.writes()).toBe(1);
  });

  it('keeps the claim of a pod that its reader does not see yet (J-05)', async () => {
    let reads = 0;
    const world = createWorld(
      (inner) => inner,
      (inner) => ({
        ...inner,
        read: async (key) => {
          reads += 1;
          return reads === 1 ? undefined : inner.read(key);
        },
      }),
    );
    await world.put(aPod({ nodeName: NODE }));
    await world.clock.run(releaseClaims(world, NODE, ['pod-uid']));
    expect(reads).toBe(2);
    expect(await world.counters()).toEqual({ pods: 1, 'r/cpu': 1000 });
  });

  it('releases pods of one name that were there one after the other (J-05)', async () => {
    const world = createWorld();
    for (const uid of ['first', 'second', 'third']) {
      await world.put(aPod({ nodeName: NODE, uid }));
      await world.put('delete');
    }
    await world.put(aPod({ nodeName: NODE, uid: 'fourth', cpu: '2' }));
    await releaseAll(world);
    expect(await world.counters()).toEqual({ pods: 1, 'r/cpu': 2000 });
  });

  it('releases more pods than one transaction takes (J-05)', async () => {
    const world = createWorld();
    const names = Array.from({ length: 2 * MOST_CLAIMS + 1 }, (_, n) => `p${n}`);
    for (const name of names) {
      const pod = aPod({ nodeName: NODE, uid: name });
      await world.put({ ...pod, metadata: { ...pod.metadata, name } }, podKey(name));
      await world.put('delete', podKey(name));
    }
    const before = await world.writes();
    await releaseAll(world);
    expect(await world.counters()).toEqual({});
    expect((await world.writes()) - before).toBe(3);
  });

  it('reads a claim again, by its uid, that is not as a query has shown it (J-06)', async () => {
    const world = createWorld((inner) => ({
      ...inner,
      allClaims: async (node) =>
        (await inner.allClaims(node)).map((claim) => ({ ...claim, requests: new Map([['cpu', 1]]) })),
    }));
    await world.put(aPod({ nodeName: NODE }));
    await world.put('delete');
    await world.clock.run(releaseAll(world));
    expect(await world.counters()).toEqual({});
  });

  it.each(['refused', 'busy', 'unclear'] as const)(
    'gives up with 429 while each write is %s (J-06)',
    async (outcome) => {
      const world = createWorld((inner) => ({ ...inner, write: async () => outcome }));
      await world.put(aPod({ nodeName: NODE }));
      await world.put('delete');
      const released = world.clock.run(releaseClaims(world, NODE, ['pod-uid']));
      await expect(released).rejects.toMatchObject({ code: 429 });
    },
  );
});

describe('reconcileClaims', () => {
  const healthy = { digest: false, claims: 0, left: 0 };

  it('gives what is older than the claims its digest and its claims, once (J-08)', async () => {
    const world = createWorld();
    const { plain, writer, inner, counters } = world;
    await plain.write(nodeKey(NODE), () => ({ next: aNode(), writer: 'client' }));
    const names = Array.from({ length: MOST_CLAIMS + 1 }, (_, n) => `p${n}`);
    for (const name of names) {
      const pod = aPod({ nodeName: NODE, uid: name, cpu: '10m' });
      const next = { ...pod, metadata: { ...pod.metadata, name } };
      await plain.write(podKey(name), () => ({ next, writer: 'client' }));
    }
    const failed = aPod({ nodeName: NODE, phase: 'Failed', uid: 'failed' });
    await plain.write(podKey(), () => ({ next: failed, writer: 'client' }));
    expect(await reconcile(world, NODE)).toEqual({ digest: true, claims: names.length, left: 0 });
    expect(await counters()).toEqual({ pods: names.length, 'r/cpu': 10 * names.length });
    expect(await inner.allClaims(NODE)).toHaveLength(names.length);
    expect(await reconcile(world, NODE)).toEqual(healthy);
    await plain.write(podKey('new'), () => ({ next: aPod({ uid: 'new' }), writer: 'client' }));
    expect(await bindWithin(writer, { pod: podKey('new'), uid: 'new', node: aNode() })).toBe('refused');
  });

  it('repairs nothing where claims were kept from the start (J-08)', async () => {
    const world = createWorld();
    await world.put(aNode(), nodeKey(NODE));
    await world.put(aPod({ nodeName: NODE }));
    await world.put(aPod({ nodeName: NODE, cpu: '2' }));
    const before = await world.writes();
    expect(await reconcile(world, NODE)).toEqual(healthy);
    expect(await reconcile(world, 'unknown')).toEqual(healthy);
    expect(await world.writes()).toBe(before);
  });

  it('leaves a pod and a Node that change meanwhile to the next time (J-08)', async () => {
    const world = createWorld((inner) => ({
      ...inner,
      write: async (given) => {
        await world.plain.write(podKey(), () => ({ next: 'delete', writer: 'client' }));
        await world.plain.write(nodeKey(NODE), () => ({ next: 'delete', writer: 'client' }));
        return inner.write(given);
      },
    }));
    await world.plain.write(nodeKey(NODE), () => ({ next: aNode(), writer: 'client' }));
    await world.plain.write(podKey(), () => ({ next: aPod({ nodeName: NODE }), writer: 'client' }));
    expect(await reconcile(world, NODE)).toMatchObject({ digest: false, claims: 0, left: 1 });
    expect(await world.counters()).toBeUndefined();
    expect(await world.inner.allClaims(NODE)).toEqual([]);
  });
});
