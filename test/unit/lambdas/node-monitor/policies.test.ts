import { describe, expect, it } from 'vitest';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const pass = (plane: ControlPlane) =>
  plane.clock.run(runPass({ ...plane.invoke(), config: plane.config }, plane.clock.now()));

/** Nodes of zones, such as `a0`, that beat until they are taken out of `alive`. */
const setUp = async (zones: Readonly<Record<string, number>>, labels = {}) => {
  const plane = createMemoryControlPlane();
  const alive = new Set<string>();
  for (const [zone, size] of Object.entries(zones))
    for (let index = 0; index < size; index += 1) {
      const name = `${zone}${index}`;
      await fleet.addNode(plane, name, { zone, ready: 'True', labels });
      alive.add(name);
    }
  fleet.keepBeating(plane, alive);
  const silence = (...names: readonly string[]): void => {
    for (const name of names) alive.delete(name);
  };
  const zoneOf = async (id: string) => (await plane.state.control.zones()).find((zone) => zone.id === id);
  return { plane, alive, silence, zoneOf };
};

describe('the grace period of a policy', () => {
  it('holds for the nodes of its zone, and not for their neighbours (Z-21)', async () => {
    const { plane, silence } = await setUp({ a: 4, b: 4 });
    await fleet.setPolicy(plane, 'short', { zones: ['a'], nodeMonitorGracePeriodSeconds: 20 });
    await plane.run(29_000);
    silence('a0', 'b0');
    await plane.run(25_000);
    expect([await fleet.readyOf(plane, 'a0'), await fleet.readyOf(plane, 'b0')]).toEqual(['Unknown', 'True']);
    await plane.run(20_000);
    expect(await fleet.readyOf(plane, 'b0')).toBe('Unknown');
  });

  it('counts for a node that is silent already, whether it becomes shorter or longer', async () => {
    const { plane, silence } = await setUp({ a: 4 });
    await fleet.setPolicy(plane, 'p', { zones: ['a'], nodeMonitorGracePeriodSeconds: 300 });
    await plane.run(29_000);
    silence('a0', 'a1');
    await plane.run(60_000);
    expect(await fleet.readyOf(plane, 'a0')).toBe('True');
    await fleet.setPolicy(plane, 'p', { zones: ['a'], nodeMonitorGracePeriodSeconds: 600 });
    await plane.run(240_000);
    expect(await fleet.readyOf(plane, 'a0')).toBe('True');
    await fleet.setPolicy(plane, 'p', { zones: ['a'], nodeMonitorGracePeriodSeconds: 30 });
    await plane.run(6_000);
    expect(await fleet.readyOf(plane, 'a0')).toBe('Unknown');
  });

  it('is the one of the configuration again once the policy is deleted', async () => {
    const { plane, silence } = await setUp({ a: 4 });
    await fleet.setPolicy(plane, 'p', { nodeMonitorGracePeriodSeconds: 3_600 });
    await plane.run(29_000);
    silence('a0');
    await plane.run(100_000);
    expect(await fleet.readyOf(plane, 'a0')).toBe('True');
    await fleet.removePolicy(plane, 'p');
    await plane.run(6_000);
    expect(await fleet.readyOf(plane, 'a0')).toBe('Unknown');
  });

  it('follows the labels of a node', async () => {
    const { plane, silence } = await setUp({ a: 4 });
    const nodeSelector = { matchLabels: { pool: 'edge' } };
    await fleet.setPolicy(plane, 'edge', { nodeSelector, nodeMonitorGracePeriodSeconds: 600 });
    const relabel = (name: string, pool: string) =>
      fleet.changeNode(plane, name, (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: { ...node.metadata.labels, pool } },
      }));
    await relabel('a0', 'edge');
    await relabel('a1', 'edge');
    await plane.run(29_000);
    silence('a0', 'a1', 'a2');
    await plane.run(60_000);
    const ready = async () => [await fleet.readyOf(plane, 'a0'), await fleet.readyOf(plane, 'a1')];
    expect(await ready()).toEqual(['True', 'True']);
    expect(await fleet.readyOf(plane, 'a2')).toBe('Unknown');
    await relabel('a1', 'core');
    await plane.run(6_000);
    expect(await ready()).toEqual(['True', 'Unknown']);
  });

  it('counts by the labels of the consistent read, if they have changed since the scan', async () => {
    const { plane, silence } = await setUp({ a: 4 });
    silence('a0');
    await plane.run(1_000);
    const nodeSelector = { matchLabels: { pool: 'edge' } };
    await fleet.setPolicy(plane, 'edge', { nodeSelector, nodeMonitorGracePeriodSeconds: 600 });
    plane.clock.advance(60_000);
    const deps = { ...plane.invoke(), config: plane.config };
    const { objects } = deps;
    const relabelled = {
      ...objects,
      async *nodeHealth() {
        yield* objects.nodeHealth();
        await fleet.changeNode(plane, 'a0', (node) => ({
          ...node,
          metadata: { ...node.metadata, labels: { ...node.metadata.labels, pool: 'edge' } },
        }));
      },
    };
    await plane.clock.run(runPass({ ...deps, objects: relabelled }, plane.clock.now()));
    expect(await fleet.readyOf(plane, 'a0')).toBe('True');
  });
});

it('a pass does not wait for a long list of nodes, and judges by the labels of each node that it reads', async () => {
  const { plane, silence } = await setUp({ a: 4 }, { pool: 'edge' });
  const nodeSelector = { matchLabels: { pool: 'edge' } };
  await fleet.setPolicy(plane, 'edge', { nodeSelector, nodeMonitorGracePeriodSeconds: 600 });
  silence('a0');
  await plane.run(1_000);
  plane.clock.advance(60_000);
  const deps = { ...plane.invoke(), config: plane.config };
  const slow = {
    ...deps.objects,
    page: async (query: Parameters<typeof deps.objects.page>[0]) => {
      if (query.resource === 'nodes') await plane.clock.sleep(60_000);
      return deps.objects.page(query);
    },
  };
  const before = plane.clock.now();
  const report = await plane.clock.run(runPass({ ...deps, objects: slow }, before));
  expect(report).toMatchObject({ outcome: 'done', flips: 0 });
  expect(plane.clock.now() - before).toBeLessThan(5_000);
  expect(await fleet.readyOf(plane, 'a0')).toBe('True');
  plane.clock.advance(60_000);
  await plane.clock.run(runPass({ ...deps, objects: slow }, plane.clock.now()));
  expect((await fleet.policyOf(plane, 'edge'))?.status?.nodes).toBe(4);
});

describe('rates and thresholds of a policy', () => {
  it('hold for its zone only, and change while nodes wait (Z-28)', async () => {
    const { plane, silence, zoneOf } = await setUp({ a: 8, b: 8 });
    await fleet.setPolicy(plane, 'slow', { zones: ['a'], nodeEvictionRate: 0.01 });
    await plane.run(59_000);
    silence('a0', 'a1', 'a2', 'b0', 'b1', 'b2');
    await plane.run(80_000);
    const tainted = (zone: string) => fleet.taintInstants(plane).filter(({ node }) => node.startsWith(zone));
    expect(tainted('a')).toHaveLength(1);
    expect(tainted('b')).toHaveLength(3);
    await fleet.setPolicy(plane, 'slow', { zones: ['a'], nodeEvictionRate: 0.5 });
    await plane.run(12_000);
    expect(tainted('a')).toHaveLength(3);
    const [, second, third] = tainted('a').map(({ at }) => at);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(2_000);
    expect(await zoneOf('a')).toMatchObject({ limiter: { rate: 0.5 }, reason: 'policy slow/2 holds' });
    await fleet.removePolicy(plane, 'slow');
    await plane.run(6_000);
    expect(await zoneOf('a')).toMatchObject({ limiter: { rate: 0.1 }, reason: 'no policy holds any more' });
  });

  it('hold evictions of a zone without a ready node, while a neighbour without a policy evicts (Z-26)', async () => {
    const { plane, silence, zoneOf } = await setUp({ a: 4, b: 4, c: 4 });
    await fleet.setPolicy(plane, 'hold', { zones: ['a'], fullDisruption: 'Hold' });
    await plane.run(59_000);
    silence('a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'b2', 'b3');
    await plane.run(120_000);
    const zones = fleet.taintInstants(plane).map(({ node }) => node[0]);
    expect(zones).toEqual(['b', 'b', 'b', 'b']);
    expect(await zoneOf('a')).toMatchObject({ state: 'FullDisruption', isHeld: true, policies: 'hold/1' });
    await fleet.setPolicy(plane, 'hold', { zones: ['a'], fullDisruption: 'Evict' });
    await plane.run(60_000);
    expect(fleet.taintInstants(plane)).toHaveLength(8);
  });
});

describe('a node that flaps', () => {
  const damping = { losses: 3, withinSeconds: 600, stableSeconds: 120 };

  const flap = async (plane: ControlPlane, times: number) => {
    for (let loss = 0; loss < times; loss += 1) {
      await fleet.postReady(plane, 'a0', 'False');
      await plane.run(25_000);
      await fleet.postReady(plane, 'a0', 'True');
      await plane.run(10_000);
    }
  };
  const taintsOf = async (plane: ControlPlane) => (await fleet.taintsOf(plane, 'a0')).length;

  it('keeps its taint until it has been ready for long enough (Z-32)', async () => {
    const { plane } = await setUp({ a: 4 });
    await fleet.setPolicy(plane, 'calm', { zones: ['a'], flapDamping: damping });
    await plane.run(29_000);
    await flap(plane, 2);
    expect(await taintsOf(plane), 'after two losses').toBe(0);
    await flap(plane, 1);
    expect(await taintsOf(plane), 'ready for 10 s').toBe(1);
    await plane.run(105_000);
    expect(await taintsOf(plane), 'ready for 115 s').toBe(1);
    await plane.run(11_000);
    expect(await taintsOf(plane), 'ready for 126 s').toBe(0);
  });

  it('loses its taint at once without a policy, and when the policy goes', async () => {
    const { plane } = await setUp({ a: 4 });
    await plane.run(29_000);
    await flap(plane, 4);
    expect(await taintsOf(plane)).toBe(0);
    await fleet.setPolicy(plane, 'calm', { flapDamping: damping });
    await flap(plane, 1);
    expect(await taintsOf(plane), 'its earlier losses count').toBe(1);
    await fleet.removePolicy(plane, 'calm');
    await plane.run(6_000);
    expect(await taintsOf(plane)).toBe(0);
  });
});

describe('nodes of a disrupted zone that is paced', () => {
  it('become Unknown one by one, and count as not ready meanwhile (Z-33)', async () => {
    const { plane, silence, zoneOf } = await setUp({ a: 10, b: 10 });
    await fleet.setPolicy(plane, 'paced', { zones: ['a'], pacedNotReadyRate: 0.1 });
    await plane.run(59_000);
    silence(...Array.from({ length: 8 }, (_, index) => `a${index}`), 'b0', 'b1', 'b2', 'b3', 'b4', 'b5');
    await plane.run(46_000);
    const unknown = async (zone: string) => {
      const names = Array.from({ length: 10 }, (_, index) => `${zone}${index}`);
      const ready = await Promise.all(names.map((name) => fleet.readyOf(plane, name)));
      return ready.filter((status) => status === 'Unknown').length;
    };
    expect(await unknown('b'), 'all at once').toBe(6);
    expect(await unknown('a')).toBeLessThanOrEqual(1);
    expect(await zoneOf('a')).toMatchObject({ state: 'PartialDisruption', notReady: 8 });
    const before = await unknown('a');
    expect((await zoneOf('a'))?.heldBack, 'the others wait').toBe(8 - before);
    await plane.run(30_000);
    expect((await unknown('a')) - before).toBe(3);
    await fleet.removePolicy(plane, 'paced');
    await plane.run(6_000);
    expect(await unknown('a')).toBe(8);
    expect((await zoneOf('a'))?.heldBack).toBeUndefined();
  });

  it('become Unknown at once in a zone that is not disrupted (Z-33)', async () => {
    const { plane, silence } = await setUp({ a: 10 });
    await fleet.setPolicy(plane, 'paced', { zones: ['a'], pacedNotReadyRate: 0.01 });
    await plane.run(59_000);
    silence('a0', 'a1');
    await plane.run(46_000);
    expect([await fleet.readyOf(plane, 'a0'), await fleet.readyOf(plane, 'a1')]).toEqual([
      'Unknown',
      'Unknown',
    ]);
  });
});

describe('the status of a policy', () => {
  it('says for how many nodes it holds, and names the first of them (Z-36)', async () => {
    const { plane } = await setUp({ a: 12, b: 2 });
    await fleet.setPolicy(plane, 'p', { zones: ['a'], nodeEvictionRate: 1 });
    await pass(plane);
    expect((await fleet.policyOf(plane, 'p'))?.status).toMatchObject({
      observedGeneration: 1,
      nodes: 12,
      nodeNames: ['a0', 'a1', 'a10', 'a11', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'],
      zoneNames: ['a'],
      conditions: [
        { type: 'Accepted', status: 'True', observedGeneration: 1, reason: 'Accepted' },
        { type: 'Conflicted', status: 'False', reason: 'NoConflict' },
      ],
    });
  });

  it('says of the younger of two that tie that it has no effect, until the tie is gone (Z-24)', async () => {
    const { plane, zoneOf } = await setUp({ a: 3 });
    await fleet.setPolicy(plane, 'old', { zones: ['a'], nodeEvictionRate: 1 });
    plane.clock.advance(2_000);
    await fleet.setPolicy(plane, 'a-young', { zones: ['a'], nodeEvictionRate: 2 });
    await pass(plane);
    expect((await fleet.policyOf(plane, 'a-young'))?.status).toMatchObject({
      nodes: 0,
      conditions: [
        { type: 'Accepted', status: 'False', reason: 'SameNodes' },
        { type: 'Conflicted', status: 'True', reason: 'SameNodes' },
      ],
    });
    expect((await zoneOf('a'))?.limiter.rate).toBe(1);
    await fleet.removePolicy(plane, 'old');
    plane.clock.advance(5_000);
    await pass(plane);
    expect((await fleet.policyOf(plane, 'a-young'))?.status?.conditions?.[0]?.status).toBe('True');
    expect((await zoneOf('a'))?.limiter.rate).toBe(2);
  });

  it('is written only if it says something new, and counts at most each 30 s (Z-37)', async () => {
    const { plane } = await setUp({ a: 3 });
    await fleet.setPolicy(plane, 'p', {});
    const versions: (string | undefined)[] = [];
    for (let n = 0; n < 8; n += 1) {
      if (n === 2) await fleet.addNode(plane, 'a9', { zone: 'a', ready: 'True' });
      await pass(plane);
      versions.push((await fleet.policyOf(plane, 'p'))?.metadata.resourceVersion);
      plane.clock.advance(5_000);
    }
    expect(versions.map((version) => Number(version) - Number(versions[0]))).toEqual([
      0, 0, 0, 0, 0, 0, 1, 1,
    ]);
  });
});

it('without policies a pass reads the log of policies once, and nothing else about them (Z-25)', async () => {
  const { plane } = await setUp({ a: 3 });
  await pass(plane);
  const reads: string[] = [];
  const deps = { ...plane.invoke(), config: plane.config };
  // What a process knows belongs to its store, so the store itself is watched.
  const { objects } = deps;
  for (const name of ['page', 'counter', 'slots', 'floor', 'read'] as const) {
    const call = (objects as unknown as Record<string, unknown>)[name];
    if (typeof call !== 'function') continue;
    (objects as unknown as Record<string, unknown>)[name] = (...given: readonly unknown[]) => {
      reads.push(`${name} ${JSON.stringify(given[0])}`);
      return Reflect.apply(call, objects, given) as unknown;
    };
  }
  plane.clock.advance(5_000);
  await plane.clock.run(runPass(deps, plane.clock.now()));
  expect(reads).toEqual(['counter "nodelifecyclepolicies"']);
});
