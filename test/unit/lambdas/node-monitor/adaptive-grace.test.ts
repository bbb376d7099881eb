import { describe, expect, it } from 'vitest';
import { byText } from '../../../../shared/kube/text/compare-text.ts';
import type { LifecyclePolicySpec } from '../../../../shared/kube/types/lifecycle-policy.ts';
import { NODE_LEASE_NAMESPACE } from '../../../../shared/kube/types/well-known.ts';
import { eventual } from '../../../../shared/ports/store/eventual.ts';
import type { HeartbeatStore } from '../../../../shared/ports/store/heartbeats.ts';
import type { Invocation } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const ADAPTS = { adaptiveGrace: { floorSeconds: 40, ceilingSeconds: 120 } };
const HOUR = 3_600_000;

/** The calls of all stores by their names, and the writes of patience. */
const counting = () => {
  const calls = new Map<string, number>();
  const lag = { forgetsPatience: false };
  const lagging = (heartbeats: HeartbeatStore): HeartbeatStore => ({
    ...heartbeats,
    async *scan() {
      for await (const page of heartbeats.scan())
        yield lag.forgetsPatience
          ? eventual(page.value.map(({ patience: _patience, ...item }) => item))
          : page;
    },
  });
  const counted = <T extends object>(store: string, ports: T): T =>
    new Proxy(ports, {
      get: (target, name: keyof T & string) => {
        const key = `${store}.${name}`;
        calls.set(key, (calls.get(key) ?? 0) + 1);
        return target[name];
      },
    });
  const known = new WeakMap<object, Invocation>();
  const invocation = (ports: Invocation): Invocation => {
    const { control, heartbeats, objects } = ports;
    const made = known.get(objects) ?? {
      ...ports,
      control: counted('control', control),
      heartbeats: counted('heartbeats', lagging(heartbeats)),
      objects: counted('objects', objects),
    };
    known.set(objects, made);
    return { ...ports, control: made.control, heartbeats: made.heartbeats, objects: made.objects };
  };
  return { calls, lag, invocation };
};

/** Nodes of zones that beat each ten seconds while they are in `alive`, and are an hour old. */
const setUp = async (
  zones: Readonly<Record<string, number>>,
  spec: LifecyclePolicySpec = ADAPTS,
  skipsCalmPasses = false,
) => {
  const { calls, lag, invocation } = counting();
  const plane = createMemoryControlPlane({ invocation, skipsCalmPasses });
  const alive = new Set<string>();
  for (const [zone, size] of Object.entries(zones))
    for (let index = 0; index < size; index += 1) {
      await fleet.addNode(plane, `${zone}${index}`, { zone, ready: 'True' });
      alive.add(`${zone}${index}`);
    }
  fleet.keepBeating(plane, alive);
  await fleet.setPolicy(plane, 'grace', spec);
  await plane.run(HOUR);
  /** Each of `nodes` sends no beat for so long. */
  const pause = async (seconds: number, ...nodes: readonly string[]): Promise<void> => {
    for (const node of nodes) alive.delete(node);
    await plane.run(seconds * 1000);
    for (const node of nodes) alive.add(node);
  };
  const patience = async (name: string) =>
    (await plane.state.heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name }))?.patience;
  return { plane, alive, pause, patience, calls, lag };
};

describe('a node whose grace period adapts', () => {
  it('is given more time after it has survived a silence (V-80, V-81)', async () => {
    const { plane, pause, patience } = await setUp({ a: 20 });
    await pause(30, 'a0');
    await plane.run(20_000);
    expect(await patience('a0'), 'others may still end one').toBeUndefined();
    await plane.run(30_000);
    expect((await patience('a0'))?.silentMs).toBe(40_000);
    await pause(50, 'a0', 'a1');
    expect([await fleet.readyOf(plane, 'a0'), await fleet.readyOf(plane, 'a1')]).toEqual(['True', 'Unknown']);
    await pause(25, 'a0', 'a1');
    expect(await fleet.readyOf(plane, 'a0')).toBe('Unknown');
  });

  it('learns nothing by what its network does (V-82)', async () => {
    const { plane, pause, patience } = await setUp({ a: 20, b: 20 });
    await pause(30, 'a0', 'a1', 'a2', 'b0', 'b1');
    await plane.run(60_000);
    expect(await Promise.all(['a0', 'a1', 'a2'].map(patience))).toEqual([undefined, undefined, undefined]);
    expect((await Promise.all(['b0', 'b1'].map(patience))).map((one) => one?.silentMs)).toEqual([
      40_000, 40_000,
    ]);
  });

  it('learns nothing that no pass of the process has seen (V-81)', async () => {
    const { plane, alive, patience } = await setUp({ a: 20 });
    alive.delete('a0');
    plane.clock.advance(600_000);
    alive.add('a0');
    await plane.run(60_000);
    expect((await patience('a0'))?.silentMs ?? 0).toBeLessThan(60_000);
  });

  it('has what it has learned although scans do not show it yet (V-83)', async () => {
    const { plane, pause, calls, lag } = await setUp({ a: 20 });
    await pause(30, 'a0');
    await plane.run(41_000);
    lag.forgetsPatience = true;
    const before = calls.get('heartbeats.read');
    await pause(50, 'a0');
    expect(calls.get('heartbeats.read'), 'no pass has tried to make it Unknown').toBe(before);
    expect(await fleet.readyOf(plane, 'a0')).toBe('True');
  });

  it('begins anew under the name of another (V-81)', async () => {
    const { plane, pause, patience } = await setUp({ a: 20 });
    await pause(30, 'a0');
    await plane.run(50_000);
    expect(await patience('a0')).toBeDefined();
    await fleet.removeNode(plane, 'a0');
    await fleet.addNode(plane, 'a0', { zone: 'a', ready: 'True' });
    await plane.run(30_000);
    expect(await patience('a0')).toBeUndefined();
  });

  it('is forgotten with the policy: its grace period is the fixed one', async () => {
    const { plane, pause } = await setUp({ a: 20 });
    await pause(30, 'a0');
    await plane.run(50_000);
    await fleet.removePolicy(plane, 'grace');
    await pause(50, 'a0');
    expect(await fleet.readyOf(plane, 'a0')).toBe('Unknown');
  });
});

describe('what adaptive grace costs (V-81)', () => {
  it('is no call of a store in a fleet that misses no beat, and none without a policy', async () => {
    const names = /^(?:control|heartbeats|objects)\./;
    const callsOf = async (spec: LifecyclePolicySpec) => {
      const { plane, calls, pause } = await setUp({ a: 20 }, spec);
      await plane.run(HOUR);
      const quiet = [...calls].filter(([name]) => names.test(name)).toSorted(([a], [b]) => byText(a, b));
      await pause(30, 'a0');
      await plane.run(60_000);
      return { quiet, learn: calls.get('heartbeats.learn') ?? 0 };
    };
    const fixed = await callsOf({ nodeMonitorGracePeriodSeconds: 40 });
    const adaptive = await callsOf(ADAPTS);
    expect(adaptive.quiet).toEqual(fixed.quiet);
    expect([fixed.learn, adaptive.learn]).toEqual([0, 1]);
  });

  it('leaves out passes that can find nothing, and none that can (G-23)', async () => {
    const passes = async (spec: LifecyclePolicySpec) => {
      const { plane, calls, pause, patience } = await setUp({ a: 20 }, spec, true);
      const before = calls.get('control.endPass') ?? 0;
      await plane.run(HOUR);
      const calm = (calls.get('control.endPass') ?? 0) - before;
      await pause(30, 'a0');
      await plane.run(60_000);
      return { calm, patience: (await patience('a0'))?.silentMs };
    };
    expect(await passes({ nodeMonitorGracePeriodSeconds: 40 })).toEqual({ calm: 103, patience: undefined });
    expect(await passes(ADAPTS)).toEqual({ calm: 180, patience: 40_000 });
  });
});
