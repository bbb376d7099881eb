import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { routeChanges } from '../../../../lambdas/change-router/route-changes.ts';
import { reconcile } from '../../../../lambdas/node-monitor/reconcile.ts';
import type { LifecyclePolicySpec } from '../../../../shared/kube/types/lifecycle-policy.ts';
import type { OutgoingMessage } from '../../../../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../../../../shared/ports/store/control-store.ts';
import type { Invocation } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

/** How often each method of the control store was called. */
const counting = () => {
  const calls = new Map<string, number>();
  const invocation = (ports: Invocation): Invocation => ({
    ...ports,
    control: new Proxy(ports.control, {
      get: (target, name: keyof ControlStore) => {
        calls.set(name, (calls.get(name) ?? 0) + 1);
        return target[name];
      },
    }),
  });
  const since = async (work: () => Promise<unknown>, name: keyof ControlStore): Promise<number> => {
    const before = calls.get(name) ?? 0;
    await work();
    return (calls.get(name) ?? 0) - before;
  };
  return { calls, invocation, since };
};

/** Three nodes that beat until they are taken out of `alive`, and a minute of ticks. */
const aCalmPlane = async (skipsCalmPasses = true) => {
  const { invocation, since, calls } = counting();
  const plane = createMemoryControlPlane({ skipsCalmPasses, invocation });
  const alive = new Set(['a0', 'a1', 'a2']);
  for (const name of alive) await fleet.addNode(plane, name, { zone: 'a', ready: 'True' });
  fleet.keepBeating(plane, alive);
  await plane.run(60_000);
  const passesIn = (ms: number) => since(() => plane.run(ms), 'endPass');
  return { plane, alive, passesIn, calls };
};

const MINUTES = 60_000;

describe('the passes of a fleet in which nothing happens (G-23)', () => {
  it('are one in seven on AWS, and each of them on a host', async () => {
    const { passesIn } = await aCalmPlane();
    expect(await passesIn(35 * MINUTES)).toBe((35 * 12) / 7);
    const host = await aCalmPlane(false);
    expect(await host.passesIn(35 * MINUTES)).toBe(35 * 12);
  });

  it('cost a host no read and no write more: it never asks', async () => {
    const { calls } = await aCalmPlane(false);
    expect([calls.get('readPassAndCounter'), calls.get('noteQueued')]).toEqual([undefined, undefined]);
    const stored = await (await aCalmPlane(false)).plane.state.control.readPass();
    expect(Object.keys(stored ?? {})).not.toContain('calmUntil');
  });

  it('begin at once after a change of a Node, and are all there while it is young', async () => {
    const { plane, alive, passesIn } = await aCalmPlane();
    alive.add('b0');
    await fleet.addNode(plane, 'b0', { zone: 'a', ready: 'True' });
    expect([await passesIn(22_000), await passesIn(27_000)]).toEqual([4, 0]);
  });

  it('are all there while a node is silent or tainted, and find it when they would without', async () => {
    const lost = async (skips: boolean) => {
      const { plane, alive, passesIn } = await aCalmPlane(skips);
      await plane.run(7_300);
      alive.delete('a1');
      const passes = await passesIn(MINUTES);
      const node = await fleet.readyOf(plane, 'a1');
      const [flip] = plane.commits.filter(
        ({ change }) => change.after?.state === 'live' && change.after.facts.node?.ready === 'Unknown',
      );
      return { passes, node, at: flip?.at };
    };
    const [with_, without] = [await lost(true), await lost(false)];
    expect(with_).toMatchObject({ node: 'Unknown', at: without.at });
    expect(with_.passes).toBeLessThan(without.passes);
  });

  it.each<[string, LifecyclePolicySpec]>([
    ['drains nodes that flap', { drainBeforeLost: { whenFlapping: true } }],
    ['drains machines that leave', { drainBeforeLost: { whenShuttingDown: true } }],
  ])('are all there while a policy %s', async (_, spec) => {
    const { plane, passesIn } = await aCalmPlane();
    await fleet.setPolicy(plane, 'p', spec);
    await plane.run(MINUTES);
    expect(await passesIn(MINUTES)).toBe(12);
  });

  it('see a new policy half a minute later at most', async () => {
    const { plane, passesIn, alive } = await aCalmPlane();
    await plane.run(MINUTES);
    await fleet.setPolicy(plane, 'p', { nodeMonitorGracePeriodSeconds: 10 });
    alive.clear();
    await plane.run(35_000);
    expect(await fleet.readyOf(plane, 'a0')).toBe('Unknown');
    expect(await passesIn(MINUTES)).toBe(12);
  });

  it('go on after one that failed: it said nothing of the next ones', async () => {
    const { plane } = await aCalmPlane();
    const { control } = plane.state;
    const before = await control.readPass();
    const objects = {
      ...plane.invoke().objects,
      nodeHealth: () => {
        throw new Error('no table');
      },
    };
    plane.clock.advance(120_000);
    const failing = reconcile({ ...plane.invoke(), objects }, { v: 1, kind: 'tick', at: plane.clock.now() });
    await expect(plane.clock.run(failing)).rejects.toThrow('no table');
    expect((await control.readPass())?.calmUntil).toBe(before?.calmUntil);
  });
});

describe('a tick that is not needed', () => {
  it('ends before it waits, and reads once', async () => {
    const { invocation, calls } = counting();
    const plane = createMemoryControlPlane({ skipsCalmPasses: true, invocation });
    const period = plane.config.nodeMonitorPeriodMs;
    plane.clock.advance(period - (plane.clock.now() % period) - 700);
    const now = plane.clock.now();
    const calm = { calmUntil: now + 20_000, counter: 0, counterSince: now - 60_000 };
    await plane.state.control.startPass(now - 4_300, now - 4_300, 10_000);
    await plane.state.control.endPass(1, now - 4_200, { at: now - 4_300, nodes: 1, calm });
    const tick = { v: 1, kind: 'tick', at: now + 700 } as const;
    expect(await reconcile(plane.invoke(), tick)).toEqual({ outcome: 'skipped', tick: now + 700 });
    expect(plane.clock.now()).toBe(now);
    expect([...calls]).toEqual([['readPassAndCounter', 1]]);
  });
});

describe('a stack without nodes (G-24)', () => {
  const anEmptyPlane = async () => {
    const { invocation, since } = counting();
    const plane = createMemoryControlPlane({ skipsCalmPasses: true, invocation });
    await plane.run(10 * MINUTES);
    return { plane, readsIn: (ms: number) => since(() => plane.run(ms), 'readPassAndCounter') };
  };

  it('has no ticks, and a read each minute', async () => {
    const { plane, readsIn } = await anEmptyPlane();
    expect(await readsIn(10 * MINUTES)).toBe(10);
    const pass = await plane.state.control.readPass();
    expect(pass?.queuedUntil).toBeLessThan(plane.clock.now());
  });

  it('has ticks from the creation of a Node on, and finds its silence when others do', async () => {
    const { plane, readsIn } = await anEmptyPlane();
    await plane.run(13_000);
    await fleet.addNode(plane, 'n1');
    const madeAt = plane.clock.now();
    await plane.run(10_000);
    await fleet.beat(plane, 'n1', 'plain');
    await plane.run(5_000);
    expect(await fleet.readyOf(plane, 'n1')).toBe('True');
    await plane.run(46_000);
    expect(await fleet.readyOf(plane, 'n1')).toBe('Unknown');
    expect(plane.clock.now() - madeAt).toBe(61_000);
    expect(await readsIn(10 * MINUTES)).toBe(10 * 12 + 10);
  });

  it('has ticks again after a commit that came long after its number, whose message was lost', async () => {
    const { plane } = await anEmptyPlane();
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    const { control } = plane.state;
    const { counter } = await control.readPassAndCounter();
    const now = plane.clock.now();
    await control.startPass(now, now, 10_000);
    const pass = (await control.readPass())?.pass ?? 0;
    const calm = { calmUntil: now + 30_000, counter, counterSince: now - 20_000 };
    await control.endPass(pass, now, { at: now, nodes: 0, calm });
    plane.set('node-monitor-ticks', false);
    await plane.run(1_000);
    plane.set('node-monitor-ticks', true);
    await plane.run(2 * MINUTES);
    expect(await fleet.readyOf(plane, 'n1')).toBe('Unknown');
  });

  it('goes on as before while it has relays', async () => {
    const { plane, readsIn } = await anEmptyPlane();
    const part = { relay: 'r', part: 0 };
    const expiresAt = plane.clock.now() + 3_600_000;
    await plane.state.heartbeats.replaceRoster(part, undefined, { revision: 1, entries: [] }, expiresAt);
    await fleet.addNode(plane, 'n1');
    await fleet.removeNode(plane, 'n1');
    await plane.run(5 * MINUTES);
    expect(await readsIn(10 * MINUTES)).toBe(10 * 12 + 10);
  });
});

describe('the tick after the creation of a Node', () => {
  it('is one for many, none on a host, and a tick for the release before', async () => {
    const OLD = z.object({ v: z.literal(1), kind: z.literal('tick'), at: z.number() });
    const sent: unknown[] = [];
    const queues = {
      send: async (queue: string, messages: readonly OutgoingMessage[]) =>
        void (queue === 'node-monitor-ticks' && sent.push(...messages.map(({ body }) => body))),
    };
    const plane = createMemoryControlPlane();
    for (const name of ['n1', 'n2']) await fleet.addNode(plane, name);
    await fleet.removeNode(plane, 'n1');
    await fleet.silence(plane, 'n2');
    const changes = plane.commits.map(({ change }) => change);
    const deps = { ...plane.invoke(), queues };
    await routeChanges(deps, changes);
    expect(sent).toEqual([{ v: 1, kind: 'tick', at: 0, force: true }]);
    expect(OLD.parse(sent[0])).toEqual({ v: 1, kind: 'tick', at: 0 });
    const { mayHave } = plane.state.objects;
    await routeChanges({ ...deps, facts: { mayHave, hasCloud: true, hasClusterCidr: true } }, changes);
    expect(sent).toHaveLength(1);
  });

  it('only reads while ticks are queued', async () => {
    const { plane, calls } = await aCalmPlane();
    await plane.run(7_000);
    calls.clear();
    const tick = { v: 1, kind: 'tick', at: 0, force: true } as const;
    expect(await plane.clock.run(reconcile(plane.invoke(), tick))).toMatchObject({ outcome: 'skipped' });
    expect([...calls]).toEqual([['readPassAndCounter', 1]]);
  });
});
