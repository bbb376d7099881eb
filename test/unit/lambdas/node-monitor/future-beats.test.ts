import { describe, expect, it } from 'vitest';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import type { Clock } from '../../../../shared/ports/process/clock.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

type Deps = Parameters<typeof runPass>[0];

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const YEAR = 365 * 24 * HOUR;
const SOURCES = ['plain', 'status', 'relay'] as const;

/** A clock that differs from that of all others by `ms`. */
const wrongBy = (clock: Clock, ms: number): Clock => ({ ...clock, now: () => clock.now() + ms });

const passBy = (plane: ControlPlane, clock: Clock, ports: Partial<Deps> = {}) => {
  const deps = { ...plane.invoke(), config: plane.config, clock, ...ports };
  return plane.clock.run(runPass(deps, clock.now()));
};

const pass = (plane: ControlPlane, ports: Partial<Deps> = {}) => passBy(plane, plane.clock, ports);

const beatAhead = (
  plane: ControlPlane,
  node: string,
  aheadMs: number,
  source: (typeof SOURCES)[number] = 'status',
) => {
  const at = plane.clock.now() + aheadMs;
  return plane.state.heartbeats.beat({ node, source, at, expiresAt: at + 24 * HOUR });
};

const aPlane = async (...names: readonly string[]): Promise<ControlPlane> => {
  const plane = createMemoryControlPlane();
  for (const name of names) {
    await fleet.addNode(plane, name, { ready: 'True' });
    await fleet.beat(plane, name);
  }
  return plane;
};

const graceOf = (plane: ControlPlane): number => plane.config.nodeMonitorGracePeriodMs;

describe('a beat that was stored by a clock that was ahead', () => {
  it.each([2 * SECOND, 90 * SECOND, HOUR, YEAR])(
    'by %i ms delays the detection of silence by no more than a pass (G-13)',
    async (aheadMs) => {
      const plane = await aPlane('n1');
      await beatAhead(plane, 'n1', aheadMs);
      const report = { flips: 0, aheadNodes: 1, takenBack: 1, furthestAheadMs: aheadMs };
      expect(await pass(plane)).toMatchObject(report);
      plane.clock.advance(graceOf(plane));
      expect(await pass(plane)).toMatchObject({ flips: 0, aheadNodes: 0, furthestAheadMs: 0 });
      plane.clock.advance(aheadMs > graceOf(plane) ? 5 * SECOND : aheadMs + 5 * SECOND);
      expect(await pass(plane)).toMatchObject({ flips: 1 });
      expect(await fleet.readyOf(plane, 'n1')).toBe('Unknown');
    },
  );

  it.each(SOURCES)(
    'of source %s is taken back for a node that only the control plane reports',
    async (source) => {
      const plane = createMemoryControlPlane();
      await fleet.addNode(plane, 'n1');
      await beatAhead(plane, 'n1', YEAR, source);
      expect(await pass(plane)).toMatchObject({ readied: 1, takenBack: 1 });
      plane.clock.advance(graceOf(plane) + 5 * SECOND);
      expect(await pass(plane)).toMatchObject({ flips: 1 });
    },
  );

  it('never flips a node that goes on beating, and its beats count again at once', async () => {
    const plane = await aPlane('n1');
    await beatAhead(plane, 'n1', HOUR);
    for (let beats = 0; beats < 400; beats += 1) {
      expect(await pass(plane)).toMatchObject({ flips: 0 });
      plane.clock.advance(10 * SECOND);
      await fleet.beat(plane, 'n1');
    }
    const item = await plane.state.heartbeats.read(fleet.leaseKey('n1'));
    expect(item).toMatchObject({ observedAt: plane.clock.now(), statusAt: plane.clock.now() });
    expect(item?.expiresAt).toBe(plane.clock.now() + 24 * HOUR);
  });

  it('is taken back once, whatever the other sources say', async () => {
    const plane = await aPlane('n1');
    await beatAhead(plane, 'n1', YEAR, 'plain');
    expect(await pass(plane)).toMatchObject({ takenBack: 1 });
    plane.clock.advance(5 * SECOND);
    expect(await pass(plane)).toMatchObject({ aheadNodes: 0, takenBack: 0 });
  });

  it('waits for its turn behind beats that were never taken back, where there are many', async () => {
    const names = Array.from({ length: 2_600 }, (_, index) => `n${index}`);
    const plane = await aPlane(...names);
    await beatAhead(plane, 'n0', HOUR);
    await pass(plane);
    for (const name of names) await beatAhead(plane, name, 2 * HOUR);
    plane.clock.advance(5 * SECOND);
    expect(await pass(plane)).toMatchObject({ aheadNodes: 2_600, takenBack: 2_500, flips: 0 });
    const isLeft = async (name: string): Promise<boolean> =>
      ((await plane.state.heartbeats.read(fleet.leaseKey(name)))?.observedAt ?? 0) > plane.clock.now();
    expect(await isLeft('n0')).toBe(true);
    plane.clock.advance(5 * SECOND);
    expect(await pass(plane)).toMatchObject({ aheadNodes: 100, takenBack: 100 });
    expect(await isLeft('n0')).toBe(false);
  });

  it('is left to the next pass where the item was written meanwhile, or cannot be written', async () => {
    const plane = await aPlane('n1', 'n2');
    await beatAhead(plane, 'n1', HOUR);
    const { heartbeats } = plane.state;
    const racing = {
      ...heartbeats,
      takeBack: async (change: Parameters<typeof heartbeats.takeBack>[0]) => {
        await beatAhead(plane, 'n1', 2 * HOUR);
        return heartbeats.takeBack(change);
      },
    };
    expect(await pass(plane, { heartbeats: racing })).toMatchObject({ takenBack: 0, errors: [] });
    const broken = { ...heartbeats, takeBack: () => Promise.reject(new Error('no table')) };
    plane.clock.advance(5 * SECOND);
    expect(await pass(plane, { heartbeats: broken })).toMatchObject({
      takenBack: 0,
      errors: [{ node: 'n1', error: new Error('no table') }],
    });
  });
});

describe('a pass whose own clock is behind', () => {
  it.each([90 * SECOND, HOUR, YEAR])(
    'by %i ms flips nobody, and lets no pass of the right clock flip a living node (G-14)',
    async (behindMs) => {
      const plane = await aPlane('n1', 'n2');
      // The creation of the nodes excuses nothing any more.
      plane.clock.advance(2 * behindMs);
      for (const name of ['n1', 'n2']) await fleet.beat(plane, name);
      plane.clock.advance(5 * SECOND);
      const report = await passBy(plane, wrongBy(plane.clock, -behindMs));
      expect(report).toMatchObject({ flips: 0, aheadNodes: 2, takenBack: 2 });
      plane.clock.advance(5 * SECOND);
      expect(await pass(plane)).toMatchObject({ outcome: 'done', flips: 0 });
      await fleet.beat(plane, 'n1');
      plane.clock.advance(graceOf(plane) - 5 * SECOND);
      expect(await pass(plane)).toMatchObject({ flips: 1 });
      expect([await fleet.readyOf(plane, 'n1'), await fleet.readyOf(plane, 'n2')]).toEqual([
        'True',
        'Unknown',
      ]);
    },
  );
});

describe('a clock floor that was stored by a clock that was ahead', () => {
  it.each([90 * SECOND, HOUR, YEAR])(
    'by %i ms excuses silence for one grace period (G-15)',
    async (aheadMs) => {
      const plane = await aPlane('n1');
      await plane.state.control.raiseClockFloor(plane.clock.now() + aheadMs, 0);
      expect(await pass(plane)).toMatchObject({ flips: 0, aheadNodes: 0, furthestAheadMs: aheadMs });
      plane.clock.advance(graceOf(plane));
      expect(await pass(plane)).toMatchObject({ flips: 0, furthestAheadMs: 0 });
      plane.clock.advance(5 * SECOND);
      expect(await pass(plane)).toMatchObject({ flips: 1 });
    },
  );

  it('counts again where the pass that took it back was behind', async () => {
    const plane = await aPlane('n1');
    plane.clock.advance(60 * SECOND);
    await plane.state.control.raiseClockFloor(plane.clock.now(), 0);
    expect(await passBy(plane, wrongBy(plane.clock, -HOUR))).toMatchObject({ flips: 0 });
    plane.clock.advance(5 * SECOND);
    expect(await pass(plane)).toMatchObject({ outcome: 'done', flips: 0 });
    plane.clock.advance(graceOf(plane));
    expect(await pass(plane)).toMatchObject({ flips: 1 });
  });
});
