import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/pod-gc/reconcile.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const SECOND = 1_000;

const says = (plane: ControlPlane, name: string, bootID: string): Promise<void> =>
  fleet.changeNode(plane, name, (node) => ({ ...node, status: { ...node.status, nodeInfo: { bootID } } }));

/** Two nodes, each with a pod; the Node `n1` is in boot `first`. */
const aPlane = async (first = 'one') => {
  const plane = createMemoryControlPlane();
  await plane.run(20 * SECOND);
  for (const name of ['n1', 'n2']) {
    await fleet.addNode(plane, name, { ready: 'True' });
    await fleet.addPod(plane, `on-${name}`, { node: name, phase: 'Running' });
  }
  if (first !== '') await says(plane, 'n1', first);
  await plane.run(5 * SECOND);
  const isLeaving = async (name: string) =>
    (await fleet.readPod(plane, name))?.metadata.deletionTimestamp !== undefined;
  const again = async (bootID: string, afterMs: number) => {
    await fleet.removeNode(plane, 'n1');
    await plane.run(afterMs);
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    if (bootID !== '') await says(plane, 'n1', bootID);
    await plane.run(10 * SECOND);
  };
  const remembered = () => plane.state.control.sightings('former-node');
  return { plane, isLeaving, again, remembered };
};

describe('a Node that is made again under its name (K-110)', () => {
  it.each([[0], [1], [20 * SECOND]])(
    'after %i ms on a machine that has booted: its pods go',
    async (afterMs) => {
      const { plane, isLeaving, again, remembered } = await aPlane();
      await again('two', afterMs);
      expect(await isLeaving('on-n1')).toBe(true);
      expect(await isLeaving('on-n2')).toBe(false);
      expect(await fleet.readPod(plane, 'on-n1')).toMatchObject({
        status: {
          conditions: expect.arrayContaining([expect.objectContaining({ reason: 'DeletionByPodGC' })]),
        },
      });
      expect(await remembered()).toEqual([]);
    },
  );

  it('without pods: nothing is written about the former one', async () => {
    const plane = createMemoryControlPlane();
    await plane.run(20 * SECOND);
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await plane.run(SECOND);
    const written: string[] = [];
    const { control } = plane.state;
    const { replaceSighting } = control;
    control.replaceSighting = (key, ...more) => {
      written.push(key.topic);
      return replaceSighting(key, ...more);
    };
    await fleet.removeNode(plane, 'n1');
    await plane.run(10 * SECOND);
    expect(written.filter((topic) => ['former-node', 'absent-node'].includes(topic))).toEqual([]);
  });

  it('by the same machine in the same boot: its pods stay', async () => {
    const { plane, isLeaving, again, remembered } = await aPlane();
    await again('one', 5 * SECOND);
    await plane.run(120 * SECOND);
    expect(await isLeaving('on-n1')).toBe(false);
    expect(await remembered()).toEqual([]);
  });

  it('is waited for until it says its boot', async () => {
    const { plane, isLeaving, again } = await aPlane();
    await again('', SECOND);
    await plane.run(10 * SECOND);
    expect(await isLeaving('on-n1')).toBe(false);
    await says(plane, 'n1', 'one');
    await plane.run(60 * SECOND);
    expect(await isLeaving('on-n1')).toBe(false);
  });

  it('and never says its boot: its pods go after 40 s', async () => {
    const { plane, isLeaving, again } = await aPlane();
    await again('', SECOND);
    await plane.run(45 * SECOND);
    expect(await isLeaving('on-n1')).toBe(true);
  });

  it('keeps what is bound to it from then on', async () => {
    const { plane, isLeaving, again } = await aPlane();
    await again('two', SECOND);
    await fleet.addPod(plane, 'new', { node: 'n1', phase: 'Running' });
    await plane.run(60 * SECOND);
    expect(await isLeaving('new')).toBe(false);
  });

  it('is found by the sweep if a message was lost, and twice the same message does no harm', async () => {
    const { plane, isLeaving } = await aPlane();
    await plane.state.control.replaceSighting({ topic: 'former-node', name: 'n1' }, undefined, {
      topic: 'former-node',
      name: 'n1',
      uid: 'former zero',
      since: plane.clock.now(),
    });
    await plane.run(6 * 60 * SECOND);
    expect(await isLeaving('on-n1')).toBe(false);
    expect(await plane.state.control.sightings('former-node')).toEqual([]);
    const message = { v: 1, kind: 'node', name: 'n1', former: { uid: 'former', bootId: 'zero' } } as const;
    expect(await reconcile(plane.invoke(), message)).toEqual([]);
    expect(await reconcile(plane.invoke(), message)).toEqual([]);
  });

  it('is not judged by a boot of long after: a message that comes again ends no pods', async () => {
    const { plane, isLeaving, again, remembered } = await aPlane();
    await again('one', 5 * SECOND);
    await plane.run(11 * 60 * SECOND);
    await says(plane, 'n1', 'two');
    const former = { uid: 'former', bootId: 'one' };
    expect(await reconcile(plane.invoke(), { v: 1, kind: 'node', name: 'n1', former })).toEqual([]);
    expect(await isLeaving('on-n1')).toBe(false);
    expect(await remembered()).toEqual([]);
  });

  it('keeps its pods if it says the boot of the former one while it is judged', async () => {
    const { plane, isLeaving, again, remembered } = await aPlane('');
    await again('', 5 * SECOND);
    await says(plane, 'n1', 'two');
    const deps = plane.invoke();
    const podsByNode: typeof deps.objects.podsByNode = async (name) => {
      await says(plane, 'n1', 'one');
      return deps.objects.podsByNode(name);
    };
    const message = { v: 1, kind: 'node', name: 'n1', former: { uid: 'former', bootId: 'one' } } as const;
    const raced = await reconcile({ ...deps, objects: { ...deps.objects, podsByNode } }, message);
    expect(raced).toMatchObject([{ outcome: 'failed', error: { reason: 'Conflict' } }]);
    expect(await remembered()).toHaveLength(1);
    await plane.run(60 * SECOND);
    expect(await isLeaving('on-n1')).toBe(false);
    expect(await remembered()).toEqual([]);
  });
});
