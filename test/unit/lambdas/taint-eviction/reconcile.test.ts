import { describe, expect, it } from 'vitest';
import type { TaintEvictionMessage } from '../../../../lambdas/taint-eviction/message.ts';
import { reconcile } from '../../../../lambdas/taint-eviction/reconcile.ts';
import { sweep } from '../../../../lambdas/taint-eviction/sweep.ts';
import type { Toleration } from '../../../../shared/kube/types/core.ts';
import type { OutgoingMessage } from '../../../../shared/ports/process/work-queue.ts';
import { withHolds } from '../../../../shared/store/writer/destruction.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const NODE: TaintEvictionMessage = { v: 1, kind: 'node', name: 'n1' };
const TAINT = { key: 'k', value: 'v', effect: 'NoExecute' } as const;
const tolerating = (seconds?: number): readonly Toleration[] => [
  { key: 'k', operator: 'Exists', ...(seconds === undefined ? {} : { tolerationSeconds: seconds }) },
];

const setTaints = (plane: ControlPlane, taints: readonly (typeof TAINT)[]) =>
  fleet.changeNode(plane, 'n1', (node) => ({ ...node, spec: { ...node.spec, taints } }));

/** A plane whose queues only record what is sent; the test runs each step itself. */
const setUp = async (
  pods: Readonly<Record<string, fleet.NewPod>>,
  taints: readonly (typeof TAINT)[] = [TAINT],
) => {
  const plane = createMemoryControlPlane();
  await fleet.addNode(plane, 'n1', { ready: 'True', taints });
  for (const [name, pod] of Object.entries(pods)) await fleet.addPod(plane, name, { node: 'n1', ...pod });
  const sent: OutgoingMessage[] = [];
  const queues = {
    send: async (_: string, messages: readonly OutgoingMessage[]) => void sent.push(...messages),
  };
  const run = (message: TaintEvictionMessage = NODE, ports: Partial<Parameters<typeof reconcile>[0]> = {}) =>
    plane.clock.run(reconcile({ ...plane.invoke(), queues, ...ports }, message));
  const isEvicted = async (name: string) =>
    (await fleet.readPod(plane, name))?.metadata.deletionTimestamp !== undefined;
  return { plane, sent, queues, run, isEvicted };
};

describe('the pods of a tainted node', () => {
  it.each([
    ['no toleration', [], 'evicted'],
    ['an infinite one', tolerating(), 'none'],
    ['a finite one', tolerating(100), 'waiting'],
    ['one of zero seconds', tolerating(0), 'evicted'],
    ['one of another taint', [{ key: 'x', operator: 'Exists' }], 'evicted'],
  ])('with %s: %#', async (_, tolerations, outcome) => {
    const { run } = await setUp({ p: { tolerations } });
    expect(await run()).toMatchObject([{ outcome }]);
  });

  it('get one wake-up for the earliest deadline, a second early', async () => {
    const { sent, run } = await setUp({
      a: { tolerations: tolerating(300) },
      b: { tolerations: tolerating(60) },
    });
    await run();
    expect(sent).toEqual([{ body: NODE, delaySeconds: 59 }]);
  });

  it('get no further wake-up from a second run, unless the deadline is due before the next sweep', async () => {
    const { plane, sent, run } = await setUp({ a: { tolerations: tolerating(300) } });
    await run();
    plane.clock.advance(60_000);
    await run();
    await run();
    expect(sent).toHaveLength(1);
    plane.clock.advance(170_000);
    await run();
    expect(sent.at(-1)).toEqual({ body: NODE, delaySeconds: 69 });
  });

  it('are evicted at the exact instant by a wake-up that comes a little early', async () => {
    const { plane, run } = await setUp({ a: { tolerations: tolerating(60) } });
    const start = plane.clock.now();
    await run();
    plane.clock.advance(58_700);
    expect(await run()).toEqual([{ outcome: 'evicted', lateMs: 0 }]);
    expect(plane.clock.now()).toBe(start + 60_000);
  });

  it('keep the first deadline if tolerations change or taints are added', async () => {
    const { plane, run, isEvicted } = await setUp({ a: { tolerations: tolerating(60) } });
    await run();
    plane.clock.advance(30_000);
    await fleet.changePod(plane, 'a', (pod) => ({
      ...pod,
      spec: { ...pod.spec, tolerations: tolerating(600) },
    }));
    await run();
    plane.clock.advance(30_000);
    await run();
    expect(await isEvicted('a')).toBe(true);
  });

  it('get a new deadline if the stored one belongs to an earlier taint', async () => {
    const { plane, run, isEvicted } = await setUp({ a: { tolerations: tolerating(60) } });
    await run();
    await setTaints(plane, []); // The message about this change is lost.
    plane.clock.advance(50_000);
    await setTaints(plane, [TAINT]);
    await run();
    plane.clock.advance(20_000);
    await run();
    expect(await isEvicted('a')).toBe(false);
    plane.clock.advance(40_000);
    await run();
    expect(await isEvicted('a')).toBe(true);
  });

  it('are not evicted if the taint is removed between the decision and the write', async () => {
    const { plane, run, isEvicted } = await setUp({ a: { tolerations: [] } });
    const { writer } = plane.invoke();
    const racing = {
      ...writer,
      destroy: async (...given: Parameters<typeof writer.destroy>) => {
        if (given[0].resource === 'pods') await setTaints(plane, []);
        return writer.destroy(...given);
      },
    };
    expect(await run(NODE, { writer: racing })).toEqual([{ outcome: 'conflict' }]);
    expect(await isEvicted('a')).toBe(false);
  });

  it.each([
    ['stored', tolerating(60), tolerating(), 'none'],
    ['evicted', [], tolerating(60), 'waiting'],
  ])('are not %s because of an outdated row in the index', async (_, seen, tolerations, outcome) => {
    const { plane, run } = await setUp({ a: { tolerations: seen } });
    const { objects } = plane.state;
    const lagging = await objects.podsByNode('n1');
    await fleet.changePod(plane, 'a', (pod) => ({ ...pod, spec: { ...pod.spec, tolerations } }));
    const stale = { ...objects, podsByNode: async () => lagging };
    expect(await run(NODE, { objects: stale })).toMatchObject([{ outcome }]);
    expect((await fleet.deadlineOf(plane, 'a')) !== undefined).toBe(outcome === 'waiting');
  });

  it('are evicted without another read, unless they are not as the index shows them', async () => {
    const { plane, run, isEvicted } = await setUp({ a: { tolerations: [] }, b: { tolerations: [] } });
    const { objects } = plane.state;
    const lagging = await objects.podsByNode('n1');
    await fleet.changePod(plane, 'b', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { x: 'y' } },
    }));
    const read: string[] = [];
    const counting = {
      ...objects,
      podsByNode: async () => lagging,
      read: (key: Parameters<typeof objects.read>[0]) => {
        if (key.resource === 'pods') read.push(key.name);
        return objects.read(key);
      },
    };
    const { ids, holds } = plane.invoke();
    const plain = createObjectWriter({ ...plane.state, clock: plane.clock, ids, objects: counting });
    const writer = withHolds(plain, holds);
    await run(NODE, { objects: counting, writer });
    expect(read).toEqual(['b']);
    expect([await isEvicted('a'), await isEvicted('b')]).toEqual([true, true]);
    expect((await fleet.readPod(plane, 'b'))?.metadata.labels).toEqual({ x: 'y' });
  });

  it('are left alone if they are terminating already', async () => {
    const { plane, run } = await setUp({ a: { tolerations: [] } });
    await run();
    const written = plane.commits.length;
    expect(await run()).toEqual([]);
    expect(plane.commits.length).toBe(written);
    expect(fleet.eventsOf(plane)).toEqual(['TaintManagerEviction: Marking for deletion Pod default/a']);
  });

  it.each([
    ['has no grace period', { graceSeconds: 0 }],
    ['has ended', { phase: 'Succeeded' }],
  ] as const)('are deleted at once where the pod %s', async (_, pod) => {
    const { plane, run } = await setUp({ a: { tolerations: [], ...pod } });
    await run();
    expect(await fleet.readPod(plane, 'a')).toBeUndefined();
  });

  it('lose their deadlines when the node is gone', async () => {
    const { plane, run } = await setUp({ a: { tolerations: tolerating(60) } });
    await run();
    await fleet.removeNode(plane, 'n1');
    expect(await run()).toEqual([{ outcome: 'cleared' }]);
    expect(await fleet.deadlineOf(plane, 'a')).toBeUndefined();
    expect(fleet.eventsOf(plane)).toEqual([]);
  });

  it('are all tried, and the wake-up is sent, before the run fails', async () => {
    const { plane, sent, run, isEvicted } = await setUp({
      a: { tolerations: [] },
      b: { tolerations: [] },
      c: { tolerations: tolerating(60) },
    });
    const { writer } = plane.invoke();
    const broken = {
      ...writer,
      destroy: async (...given: Parameters<typeof writer.destroy>) =>
        given[0].name === 'a' ? Promise.reject(new Error('no')) : writer.destroy(...given),
    };
    await expect(run(NODE, { writer: broken })).rejects.toThrow('no');
    expect(await isEvicted('b')).toBe(true);
    expect(sent).toHaveLength(1);
  });
});

describe('one pod', () => {
  it('gets a deadline when it is bound to a tainted node, counted from that time', async () => {
    const { plane, sent, run } = await setUp({});
    plane.clock.advance(100_000);
    const uid = await fleet.addPod(plane, 'late', { node: 'n1', tolerations: tolerating(60) });
    const message = { v: 1, kind: 'pod', namespace: 'default', name: 'late', uid } as const;
    await run(message);
    expect((await fleet.deadlineOf(plane, 'late'))?.fireAt).toBe(plane.clock.now() + 60_000);
    expect(sent).toEqual([{ body: message, delaySeconds: 59 }]);
  });

  it.each([
    ['gone', async (plane: ControlPlane) => fleet.changePod(plane, 'a', () => 'delete')],
    [
      'replaced',
      async (plane: ControlPlane) => {
        await fleet.changePod(plane, 'a', () => 'delete');
        await fleet.addPod(plane, 'a', { node: 'n1', tolerations: tolerating(600) });
      },
    ],
  ])('that is %s leaves no deadline behind', async (_, change) => {
    const { plane, run } = await setUp({ a: { tolerations: tolerating(60) } });
    await run();
    const uid = (await fleet.deadlineOf(plane, 'a'))?.uid ?? '';
    await change(plane);
    expect(await run({ v: 1, kind: 'pod', namespace: 'default', name: 'a', uid })).toEqual([]);
    expect(await fleet.deadlineOf(plane, 'a')).toBeUndefined();
  });
});

describe('a sweep', () => {
  it('queues tainted nodes, nodes with overdue deadlines, and pods with deadlines overdue for a minute', async () => {
    const { plane, sent, queues, run } = await setUp({ a: { tolerations: tolerating(60) } });
    await run();
    await fleet.addNode(plane, 'n2', { ready: 'True' });
    sent.length = 0;
    const sweepNow = () => plane.clock.run(sweep({ ...plane.invoke(), queues }));
    expect(await sweepNow()).toEqual({ nodes: 1, overdue: 0, oldestOverdueMs: 0 });
    expect(sent).toEqual([{ body: NODE }]);
    await setTaints(plane, []);
    sent.length = 0;
    plane.clock.advance(59_000);
    expect(await sweepNow()).toEqual({ nodes: 0, overdue: 0, oldestOverdueMs: 0 });
    plane.clock.advance(2_000);
    expect(await sweepNow()).toEqual({ nodes: 1, overdue: 1, oldestOverdueMs: 1_000 });
    plane.clock.advance(60_000);
    sent.length = 0;
    await sweepNow();
    expect(sent.map(({ body }) => body)).toEqual([NODE, expect.objectContaining({ kind: 'pod', name: 'a' })]);
  });
});
