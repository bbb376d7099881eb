import { describe, expect, it } from 'vitest';
import { drainRequestOf } from '../../../../shared/rules/drain/node-drain.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const setUp = async (nodes: number) => {
  const plane = createMemoryControlPlane();
  const alive = new Set<string>();
  for (let index = 0; index < nodes; index += 1) {
    await fleet.addNode(plane, `a${index}`, { zone: 'a', ready: 'True' });
    alive.add(`a${index}`);
  }
  fleet.keepBeating(plane, alive);
  return { plane, alive };
};

const requests = async (plane: ControlPlane, nodes: number) => {
  const names = Array.from({ length: nodes }, (_, index) => `a${index}`);
  const drained = await Promise.all(
    names.map(async (name) => drainRequestOf(await fleet.readNode(plane, name))),
  );
  return names.filter((_, index) => drained[index] !== undefined);
};

const uncordon = (plane: ControlPlane, name: string) =>
  fleet.changeNode(plane, name, ({ spec, ...node }) => ({
    ...node,
    spec: { ...spec, unschedulable: false },
  }));

describe('a node is drained before it is lost', () => {
  it('when it has not been ready for long enough, and once on this occasion (Z-35, Z-38)', async () => {
    const { plane } = await setUp(6);
    await fleet.setPolicy(plane, 'early', { zones: ['a'], drainBeforeLost: { notReadySeconds: 60 } });
    await plane.run(29_000);
    await fleet.postReady(plane, 'a0', 'False');
    await plane.run(50_000);
    expect(await requests(plane, 6)).toEqual([]);
    await plane.run(20_000);
    expect(await requests(plane, 6)).toEqual(['a0']);
    expect(drainRequestOf(await fleet.readNode(plane, 'a0'))).toMatchObject({
      by: 'NodeLifecyclePolicy early',
      reason: 'it has not been ready for 60 s',
      ignoreDaemonSets: true,
    });
    await uncordon(plane, 'a0');
    await plane.run(60_000);
    expect(await requests(plane, 6), 'the operator wins').toEqual([]);
    await fleet.setPolicy(plane, 'early', { zones: ['a'], drainBeforeLost: { notReadySeconds: 30 } });
    await plane.run(60_000);
    expect(await requests(plane, 6), 'also over a change of the policy').toEqual([]);
    await fleet.postReady(plane, 'a0', 'True');
    await plane.run(10_000);
    await fleet.postReady(plane, 'a0', 'False');
    await plane.run(40_000);
    expect(await requests(plane, 6), 'another occasion').toEqual(['a0']);
  });

  it('when its machine says that it shuts down, at once and with all its pods (Z-35)', async () => {
    const { plane } = await setUp(4);
    await fleet.setPolicy(plane, 'early', { drainBeforeLost: { whenShuttingDown: true } });
    await plane.run(29_000);
    for (const name of ['a0', 'a1', 'a2', 'a3'])
      await fleet.changeNode(plane, name, (node) => ({
        ...node,
        status: {
          conditions: [
            { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'node is shutting down' },
          ],
        },
      }));
    await plane.run(6_000);
    expect(await requests(plane, 4), 'also in a zone that is disrupted by that').toHaveLength(4);
    expect(drainRequestOf(await fleet.readNode(plane, 'a0'))).toMatchObject({
      reason: 'the machine is shutting down',
      force: true,
      deleteEmptyDirData: true,
    });
  });

  it('when it flaps (Z-35)', async () => {
    const { plane } = await setUp(4);
    await fleet.setPolicy(plane, 'calm', {
      flapDamping: { losses: 2, withinSeconds: 600, stableSeconds: 60 },
      drainBeforeLost: { whenFlapping: true },
    });
    await plane.run(29_000);
    for (const expected of [[], ['a0']]) {
      await fleet.postReady(plane, 'a0', 'False');
      await plane.run(10_000);
      await fleet.postReady(plane, 'a0', 'True');
      await plane.run(10_000);
      expect(await requests(plane, 4)).toEqual(expected);
    }
  });

  it('one in each pass, and none while the zone is disrupted (Z-39)', async () => {
    const { plane } = await setUp(8);
    await fleet.setPolicy(plane, 'early', { drainBeforeLost: { notReadySeconds: 0 } });
    await plane.run(29_000);
    for (const name of ['a0', 'a1', 'a2', 'a3', 'a4']) await fleet.postReady(plane, name, 'False');
    await plane.run(30_000);
    expect(await requests(plane, 8), '5 of 8 are not ready').toEqual([]);
    await fleet.postReady(plane, 'a4', 'True');
    await plane.run(5_000);
    expect(await requests(plane, 8)).toHaveLength(1);
    await plane.run(5_000);
    expect(await requests(plane, 8)).toHaveLength(2);
    await plane.run(20_000);
    expect(await requests(plane, 8)).toEqual(['a0', 'a1', 'a2', 'a3']);
  });

  it('never when it is silent: it could not stop its pods (Z-35)', async () => {
    const { plane, alive } = await setUp(4);
    await fleet.setPolicy(plane, 'early', { drainBeforeLost: { notReadySeconds: 0 } });
    await plane.run(29_000);
    alive.delete('a0');
    await plane.run(80_000);
    expect(await fleet.readyOf(plane, 'a0')).toBe('Unknown');
    expect(await requests(plane, 4)).toEqual([]);
  });
});
