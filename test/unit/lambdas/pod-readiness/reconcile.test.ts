import { describe, expect, it } from 'vitest';
import type { PodReadinessMessage } from '../../../../lambdas/pod-readiness/message.ts';
import { reconcile } from '../../../../lambdas/pod-readiness/reconcile.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const setUp = async (ready: 'True' | 'False' | 'Unknown' | undefined) => {
  const plane = createMemoryControlPlane();
  const uid = await fleet.addNode(plane, 'n1', ready ? { ready } : {});
  const podUid = await fleet.addPod(plane, 'p1', { node: 'n1' });
  await fleet.addPod(plane, 'p2', { node: 'n1' });
  await fleet.addPod(plane, 'other', { node: 'n2' });
  await fleet.addPod(plane, 'unbound');
  const run = (message: PodReadinessMessage) => plane.clock.run(reconcile(plane.invoke(), message));
  const statusOf = async (name: string) =>
    (await fleet.readPod(plane, name))?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const node = { v: 1, kind: 'node', name: 'n1', uid } as const;
  const pod = { v: 1, kind: 'pod', namespace: 'default', name: 'p1', uid: podUid } as const;
  return { plane, run, statusOf, node, pod };
};

describe('pods of an unready node', () => {
  it.each([
    ['Unknown', 2],
    ['False', 2],
    ['True', 0],
    [undefined, 0],
  ] as const)('are marked at Ready=%s: %s', async (ready, marked) => {
    const { run, node, pod, statusOf } = await setUp(ready);
    expect(await run(node)).toEqual({ marked });
    expect(await statusOf('other')).toBe('True');
    expect(await run(pod)).toEqual({ marked: 0 });
  });

  it('are marked once, with one Event each, even if the message is delivered again', async () => {
    const { plane, run, node, statusOf } = await setUp('Unknown');
    await run(node);
    expect(await run(node)).toEqual({ marked: 0 });
    expect(fleet.eventsOf(plane)).toEqual([
      'NodeNotReady: Node is not ready',
      'NodeNotReady: Node is not ready',
    ]);
    expect(await statusOf('p1')).toBe('False');
  });

  it('are marked on all nodes of a message', async () => {
    const { plane, run, node, statusOf } = await setUp('Unknown');
    const uid = await fleet.addNode(plane, 'n2', { ready: 'Unknown' });
    const nodes = [
      { name: 'n1', uid: node.uid },
      { name: 'gone', uid: 'g' },
      { name: 'n2', uid },
    ];
    expect(await run({ v: 1, kind: 'nodes', nodes })).toEqual({ marked: 3 });
    expect(await statusOf('other')).toBe('False');
  });

  it('are marked on the other nodes of a message if one cannot be read, and the message comes again', async () => {
    const { plane, node } = await setUp('Unknown');
    const uid = await fleet.addNode(plane, 'n2', { ready: 'Unknown' });
    const invoked = plane.invoke();
    const read: typeof invoked.objects.read = async (key) => {
      if (key.name === 'n1') throw new Error('unreadable');
      return invoked.objects.read(key);
    };
    const deps = { ...invoked, objects: { ...invoked.objects, read } };
    const nodes = [
      { name: 'n1', uid: node.uid },
      { name: 'n2', uid },
    ];
    await expect(plane.clock.run(reconcile(deps, { v: 1, kind: 'nodes', nodes }))).rejects.toThrow(
      'unreadable',
    );
    expect((await fleet.readPod(plane, 'other'))?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False' }),
    );
  });

  it('of the nodes for which a run has no time are left to another message', async () => {
    const { plane, node } = await setUp('Unknown');
    const uid = await fleet.addNode(plane, 'n2', { ready: 'Unknown' });
    const invoked = plane.invoke();
    const sent: unknown[] = [];
    let now = 0;
    const deps = {
      ...invoked,
      // Each look at the clock takes as long as a run may.
      clock: { now: () => (now += 10_000) },
      queues: { send: async (_: string, messages: readonly unknown[]) => void sent.push(...messages) },
    };
    const nodes = [
      { name: 'n1', uid: node.uid },
      { name: 'n2', uid },
    ];
    const report = await plane.clock.run(reconcile(deps, { v: 1, kind: 'nodes', nodes }));
    expect(report).toEqual({ marked: 2 });
    expect(sent).toEqual([{ body: { v: 1, kind: 'nodes', nodes: [{ name: 'n2', uid }] } }]);
  });

  it('are left alone if the message is about an earlier node of the same name', async () => {
    const { plane, run, node } = await setUp('Unknown');
    await fleet.removeNode(plane, 'n1');
    expect(await run(node)).toEqual({ marked: 0 });
    await fleet.addNode(plane, 'n1', { ready: 'Unknown' });
    expect(await run(node)).toEqual({ marked: 0 });
  });

  it.each([
    ['is marked when its node is unready', 'False', 1],
    ['is left alone when its node is ready', 'True', 0],
    ['is left alone when its node never reported', undefined, 0],
  ] as const)('a pod newly bound %s', async (_, ready, marked) => {
    const { run, pod } = await setUp(ready);
    expect(await run(pod)).toEqual({ marked });
    expect(await run({ ...pod, uid: 'another' })).toEqual({ marked: 0 });
  });

  it('are all tried before the run fails', async () => {
    const { plane, node, statusOf } = await setUp('Unknown');
    const { writer } = plane;
    const broken = {
      write: async (...given: Parameters<typeof writer.write>) =>
        given[0].name === 'p1' ? Promise.reject(new Error('no')) : writer.write(...given),
    };
    await expect(reconcile({ ...plane.invoke(), writer: broken }, node)).rejects.toThrow('no');
    expect(await statusOf('p2')).toBe('False');
  });
});
