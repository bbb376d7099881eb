import { describe, expect, it } from 'vitest';
import { mapInSlices } from '../../../../../lambdas/node-monitor/judge/slices.ts';
import { runPass } from '../../../../../lambdas/node-monitor/reconcile.ts';
import { liveRow, nodeKey } from '../../../../../shared/ports/store/rows.ts';
import { createMemoryControlPlane } from '../../../../support/planes/control-plane.ts';
import * as fleet from '../../../../support/planes/fleet.ts';

const NODES = 600;
const GRACE_MS = 40_000;
const nameOf = (index: number): string => `n${String(index).padStart(3, '0')}`;

/** A fleet of which every third node has been silent for longer than its grace period. */
const aFleet = async () => {
  const plane = createMemoryControlPlane();
  const names = Array.from({ length: NODES }, (_, index) => nameOf(index));
  for (const name of names) await fleet.addNode(plane, name, { ready: 'True' });
  for (const name of names) await fleet.beat(plane, name);
  plane.clock.advance(GRACE_MS + 1);
  for (const [index, name] of names.entries()) if (index % 3 > 0) await fleet.beat(plane, name);
  return { plane, names };
};
type Fleet = Awaited<ReturnType<typeof aFleet>>;

const pass = async ({ plane }: Fleet, pause?: () => Promise<void>) => {
  const deps = { ...plane.invoke(), config: plane.config, ...(pause ? { pause } : {}) };
  return plane.clock.run(runPass(deps, plane.clock.now()));
};

const readyOf = async ({ plane, names }: Fleet) => {
  const rows = await Promise.all(names.map((name) => plane.state.objects.read(nodeKey(name))));
  return rows.map((row) => liveRow(row)?.facts.node?.ready);
};

describe('a pass that gives way (J-303)', () => {
  it('pauses after a few hundred nodes at most, and finds what a pass without pauses finds', async () => {
    const [paused, whole] = [await aFleet(), await aFleet()];
    let pauses = 0;
    const report = await pass(paused, async () => {
      pauses += 1;
    });
    const other = await pass(whole);
    expect(report).toEqual(other);
    expect(report).toMatchObject({ nodes: NODES, flips: NODES / 3 });
    expect(await readyOf(paused)).toEqual(await readyOf(whole));
    expect(pauses).toBeGreaterThan(NODES / 256);
  });

  it('makes no node Unknown whose beat comes in any of its pauses', async () => {
    for (let late = 0; late < 12; late += 1) {
      const given = await aFleet();
      let pauses = 0;
      const report = await pass(given, async () => {
        if (pauses++ === late) await fleet.beat(given.plane, nameOf(0));
      });
      const isPaused = pauses > late;
      const [first, , , fourth] = await readyOf(given);
      // A beat that comes after the write is the next pass's.
      const isHeard = isPaused && first === 'True';
      expect(report).toMatchObject({ flips: NODES / 3 - Number(isHeard) });
      if (late < 6) expect(first).toBe('True');
      expect(fourth).toBe('Unknown');
    }
  });

  it('judges all nodes by one instant, however long its pauses are', async () => {
    const given = await aFleet();
    const { plane, names } = given;
    for (const name of names) await fleet.beat(plane, name);
    const deps = {
      ...plane.invoke(),
      config: plane.config,
      pause: async () => plane.clock.advance(GRACE_MS),
    };
    expect(await plane.clock.run(runPass(deps, plane.clock.now()))).toMatchObject({ flips: 0 });
  });
});

describe('mapInSlices', () => {
  it('is a map, with a pause before each slice', async () => {
    const items = Array.from({ length: 1_000 }, (_, index) => index);
    const work = (item: number, index: number) => [item, index];
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    expect(await mapInSlices(items, work, pause)).toEqual(items.map(work));
    expect(pauses).toBe(4);
    expect(await mapInSlices(items, work, undefined)).toEqual(items.map(work));
  });
});
