import { describe, expect, it } from 'vitest';
import { writeZone } from '../../../../lambdas/node-monitor/judge/zones.ts';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import { needsWakeUp } from '../../../../lambdas/node-monitor/write/wake-ups.ts';
import { TAINT_UNREACHABLE } from '../../../../shared/kube/types/well-known.ts';
import type { ZoneRecord } from '../../../../shared/ports/store/control-store.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const NOW = 1_700_000_000_000;

const aZone = (parts: Partial<ZoneRecord> = {}): ZoneRecord => ({
  id: 'a',
  key: ':\0:a',
  state: 'Normal',
  size: 3,
  notReady: 1,
  limiter: { rate: 0.1, nextAt: NOW + 4_000 },
  waiting: ['n1'],
  waitingCount: 1,
  wakeAt: NOW + 4_000,
  pass: 7,
  updatedAt: NOW,
  ...parts,
});

describe('a zone needs a wake-up', () => {
  const { wakeAt: _wakeAt, ...asleep } = aZone();
  it.each([
    ['when none is on its way', asleep, aZone(), true],
    ['not when one is', aZone(), aZone(), false],
    ['not when one is a little late', aZone({ wakeAt: NOW - 10_000 }), aZone(), false],
    ['when the last one is more than ten seconds late', aZone({ wakeAt: NOW - 10_001 }), aZone(), true],
    ['when the rate changed', aZone(), aZone({ limiter: { rate: 0.01, nextAt: NOW } }), true],
    [
      "when the last one comes later than the limiter's instant",
      aZone({ wakeAt: NOW + 9_000 }),
      aZone(),
      true,
    ],
    ['not when no node waits', { ...asleep, waiting: [] }, aZone(), false],
    ['not at rate 0', { ...asleep, limiter: { rate: 0, nextAt: NOW } }, aZone(), false],
  ])('%s', (_, zone, before, expected) => {
    expect(needsWakeUp(zone, before, NOW)).toBe(expected);
  });
});

describe('writing a zone', () => {
  it('keeps a token taken that the node-eviction controller took in between', async () => {
    const { state } = createMemoryControlPlane();
    const finding = {
      key: ':\0:a',
      decision: { state: 'Normal', size: 3, notReady: 0, rate: 0.1 },
      waiting: [],
      heldBack: 0,
    } as const;
    await writeZone(state.control, finding, undefined, { pass: 1, now: NOW, periodMs: 5_000 });
    const [read] = await state.control.zones();
    const taken = { rate: 0.1, nextAt: NOW + 10_000 };
    await state.control.swapLimiter('a', read?.limiter ?? taken, taken);
    const written = await writeZone(state.control, finding, read, { pass: 2, now: NOW, periodMs: 5_000 });
    expect(written?.zone).toMatchObject({ pass: 2, limiter: taken });
    expect(
      await writeZone(state.control, finding, read, { pass: 1, now: NOW, periodMs: 5_000 }),
    ).toBeUndefined();
  });
});

const setUp = async (zones: Readonly<Record<string, number>>) => {
  const plane = createMemoryControlPlane();
  const alive = new Set<string>();
  for (const [zone, size] of Object.entries(zones))
    for (let index = 0; index < size; index += 1) {
      const name = `${zone}${index}`;
      await fleet.addNode(plane, name, { zone, ready: 'True' });
      alive.add(name);
    }
  fleet.keepBeating(plane, alive);
  await plane.run(59_000);
  const silence = (zone: string, keep = 0): void => {
    for (const name of [...alive].filter((one) => one.startsWith(zone)).slice(keep)) alive.delete(name);
  };
  const states = async () =>
    Object.fromEntries(
      (await plane.state.control.zones()).map(({ id, state, limiter }) => [id, [state, limiter.rate]]),
    );
  return { plane, alive, silence, states };
};

const gaps = (instants: readonly { readonly at: number }[]): readonly number[] =>
  instants.slice(1).map(({ at }, index) => at - (instants[index]?.at ?? 0));

describe('zones', () => {
  it('are each evicted at their own rate: one node in ten seconds, the first at once (Z-15)', async () => {
    const { plane, silence } = await setUp({ a: 8, b: 8, c: 4 });
    silence('a', 5);
    silence('b', 5);
    await plane.run(90_000);
    const tainted = fleet.taintInstants(plane);
    for (const zone of ['a', 'b']) {
      const own = tainted.filter(({ node }) => node.startsWith(zone));
      expect(own).toHaveLength(3);
      expect(gaps(own)).toEqual([10_000, 10_000]);
    }
    expect(plane.failures).toEqual([]);
  });

  it('have rate 0 and no NoExecute taints in full disruption', async () => {
    const { plane, silence, states } = await setUp({ a: 3, b: 3 });
    silence('a', 1);
    await plane.run(60_000);
    expect(fleet.taintInstants(plane).length).toBeGreaterThan(0);
    silence('a');
    silence('b');
    await plane.run(60_000);
    expect(await states()).toEqual({ a: ['FullDisruption', 0], b: ['FullDisruption', 0] });
    for (const name of ['a0', 'a1', 'b0'])
      expect(await fleet.taintsOf(plane, name)).toEqual(['unreachable:NoSchedule']);
    // Every pass removes such a taint, no matter who added it.
    await fleet.changeNode(plane, 'b1', (node) => ({
      ...node,
      spec: { ...node.spec, taints: [{ key: TAINT_UNREACHABLE, effect: 'NoExecute' }] },
    }));
    await plane.run(6_000);
    expect(await fleet.taintsOf(plane, 'b1')).toEqual(['unreachable:NoSchedule']);
    expect(plane.failures).toEqual([]);
  });

  it('leave full disruption with a new grace period for all nodes and a limiter without tokens (Z-06)', async () => {
    const { plane, alive, silence, states } = await setUp({ a: 3, b: 3 });
    silence('a');
    silence('b');
    await plane.run(120_000);
    expect(fleet.taintInstants(plane)).toEqual([]);
    alive.add('a0');
    await fleet.postReady(plane, 'a0', 'True');
    const backAt = plane.clock.now();
    await plane.run(5_000);
    expect(await states()).toEqual({ a: ['Normal', 0.1], b: ['FullDisruption', 0.1] });
    const record = await plane.state.control.readPass();
    expect(record?.clockFloor).toBeGreaterThanOrEqual(backAt);
    await plane.run(60_000);
    const [first] = fleet.taintInstants(plane);
    expect(first?.at).toBe((record?.clockFloor ?? 0) + 10_000);
    expect(plane.failures).toEqual([]);
  });

  it('written before the end of full disruption are void', async () => {
    const { plane, silence, alive } = await setUp({ a: 3, b: 3 });
    silence('a');
    silence('b');
    await plane.run(60_000);
    alive.add('a0');
    await fleet.postReady(plane, 'a0', 'True');
    const crash = {
      ...plane.state.control,
      writeZone: async () => Promise.reject(new Error('killed here')),
    };
    plane.set('node-monitor-ticks', false);
    const deps = { ...plane.invoke(), config: plane.config, control: crash };
    await expect(plane.clock.run(runPass(deps, plane.clock.now()))).rejects.toThrow('killed here');
    const [zone] = await plane.state.control.zones();
    expect(zone?.pass).toBeLessThan((await plane.state.control.readPass())?.floorPass ?? 0);
    plane.set('node-monitor-ticks', true);
    await plane.run(6_000);
    expect((await plane.state.control.zones()).map(({ state, limiter }) => [state, limiter.rate])).toEqual([
      ['Normal', 0.1],
      ['FullDisruption', 0.1],
    ]);
  });

  it('are evicted slowly if large and partially disrupted, and not at all if small', async () => {
    const { plane, silence, states } = await setUp({ a: 60, b: 10, c: 1 });
    silence('a', 20);
    silence('b', 4);
    await plane.run(60_000);
    expect(await states()).toEqual({
      a: ['PartialDisruption', 0.01],
      b: ['PartialDisruption', 0],
      c: ['Normal', 0.1],
    });
    await plane.run(200_000);
    const tainted = fleet.taintInstants(plane);
    expect(gaps(tainted).every((gap) => gap >= 100_000)).toBe(true);
    expect(tainted.every(({ node }) => node.startsWith('a'))).toBe(true);
    expect(tainted.length).toBeGreaterThan(1);
  });
});
