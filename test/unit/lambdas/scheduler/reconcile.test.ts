import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/scheduler/reconcile.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { eventsOf } from '../../../support/planes/fleet.ts';
import { addNode, addPod, deletePod, endSweep, nodesOf, readPod } from './cluster.ts';

const SECOND = 1_000;
const NO_NODE = 'no nodes available to schedule pods';
const scheduledCondition = async (plane: ControlPlane, name: string) =>
  (await readPod(plane, name))?.status?.conditions?.find(({ type }) => type === 'PodScheduled');

/** The ports of another process, which knows nothing yet. */
const anotherProcess = (plane: ControlPlane) => {
  const ports = plane.invoke();
  const objects: ObjectStore = { ...ports.objects };
  return { ...ports, objects };
};

describe('the scheduler', () => {
  it('binds a pod, and records it', async () => {
    const plane = createMemoryControlPlane();
    await addNode(plane, 'n1');
    await addPod(plane, 'p1');
    await plane.run(2 * SECOND);
    expect(await nodesOf(plane, 'p1')).toEqual(['n1']);
    expect(await scheduledCondition(plane, 'p1')).toMatchObject({ status: 'True' });
    expect(eventsOf(plane)).toContain('Scheduled: Successfully assigned default/p1 to n1');
    expect(plane.failures).toEqual([]);
  });

  it('says why a pod has no node, once, and binds it when a node joins', async () => {
    const plane = createMemoryControlPlane();
    await addPod(plane, 'p1');
    await plane.run(2 * SECOND);
    expect(await scheduledCondition(plane, 'p1')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message: NO_NODE,
    });
    await addNode(plane, 'n1');
    await plane.run(2 * SECOND);
    expect(await nodesOf(plane, 'p1')).toEqual(['n1']);
    expect(eventsOf(plane).filter((event) => event.startsWith('FailedScheduling'))).toEqual([
      `FailedScheduling: ${NO_NODE}`,
    ]);
  });

  it('fills a node no further than it goes, by priority, then by age', async () => {
    const plane = createMemoryControlPlane();
    await addPod(plane, 'young', { cpu: '2', createdAfterMs: SECOND });
    await addPod(plane, 'old', { cpu: '2' });
    await addPod(plane, 'high', { cpu: '2', priority: 10, createdAfterMs: 2 * SECOND });
    await addNode(plane, 'n1');
    await plane.run(2 * SECOND);
    expect(await nodesOf(plane, 'high', 'old', 'young')).toEqual(['n1', 'n1', '']);
    expect(await plane.state.capacity.counters('n1')).toMatchObject({
      counters: new Map([
        ['pods', 2],
        ['r/cpu', 4000],
      ]),
    });
  });

  it.each([
    ['names another scheduler', { schedulerName: 'mine' }],
    ['has a gate', { schedulingGates: [{ name: 'g' }] }],
  ])('leaves a pod alone that %s', async (_, spec) => {
    const plane = createMemoryControlPlane();
    await addNode(plane, 'n1');
    await addPod(plane, 'p1', { spec });
    await plane.run(10 * SECOND);
    expect(await nodesOf(plane, 'p1')).toEqual(['']);
    expect(await scheduledCondition(plane, 'p1')).toBeUndefined();
  });

  it('places the pods of the scheduler whose name it has', async () => {
    const plane = createMemoryControlPlane({ schedulerName: 'mine' });
    await addNode(plane, 'n1');
    await addPod(plane, 'p1', { spec: { schedulerName: 'mine' } });
    await addPod(plane, 'p2');
    await plane.run(10 * SECOND);
    expect(await nodesOf(plane, 'p1', 'p2')).toEqual(['n1', '']);
  });

  it('nominates the node before the first victim goes, and counts the nominated pod there', async () => {
    const plane = createMemoryControlPlane();
    await addNode(plane, 'n1');
    await addPod(plane, 'low', { cpu: '4' });
    await plane.run(2 * SECOND);
    await addPod(plane, 'high', { cpu: '4', priority: 100 });
    await plane.run(2 * SECOND);
    expect((await readPod(plane, 'high'))?.status?.['nominatedNodeName']).toBe('n1');
    expect((await readPod(plane, 'low'))?.metadata.deletionTimestamp).toBeDefined();
    expect(eventsOf(plane)).toContain('Preempted: Preempted by pod uid-of-high on node n1');
    const changed = plane.commits.flatMap(({ change: { after } }) =>
      after?.state === 'live' && after.key.resource === 'pods' ? [after] : [],
    );
    const nominated = changed.findIndex(
      ({ key, object }) => key.name === 'high' && JSON.stringify(object).includes('nominatedNodeName'),
    );
    const marked = changed.findIndex(
      ({ key, object }) => key.name === 'low' && object.metadata.deletionTimestamp !== undefined,
    );
    expect(nominated).toBeLessThan(marked);
    await addPod(plane, 'other', { cpu: '4', priority: 50 });
    await plane.run(2 * SECOND);
    expect(await nodesOf(plane, 'other')).toEqual(['']);
  });

  it('lets pods try again that lose their nominations to those of higher priority', async () => {
    const plane = createMemoryControlPlane();
    await addNode(plane, 'n1');
    const lows = ['low-1', 'low-2', 'low-3', 'low-4'];
    for (const name of lows) await addPod(plane, name);
    await plane.run(2 * SECOND);
    const waiting = { 'medium-1': 50, 'medium-2': 50, 'medium-3': 50, 'high-1': 100, 'high-2': 100 };
    for (const [name, priority] of Object.entries(waiting)) {
      await addPod(plane, name, { priority });
      await plane.run(2 * SECOND);
    }
    // Nobody ends the victims, so that no change of the cluster lets a pod try again.
    await plane.run(20 * SECOND);
    const pods = await Promise.all([...lows, ...Object.keys(waiting)].map((name) => readPod(plane, name)));
    const isLeaving = pods.filter((pod) => pod?.metadata.deletionTimestamp !== undefined);
    const nominated = pods.filter((pod) => pod?.status?.['nominatedNodeName'] === 'n1');
    expect([isLeaving.length, nominated.length]).toEqual([4, 4]);
  });

  it('tries a pod again in a process that knows nothing of the one before', async () => {
    const plane = createMemoryControlPlane();
    plane.set('stream', false);
    await endSweep(plane);
    await addPod(plane, 'p1');
    await addNode(plane, 'n1');
    const report = await plane.clock.run(reconcile(anotherProcess(plane), { v: 1, kind: 'change' }));
    expect(report).toMatchObject({ scheduled: 1, waiting: { active: 0, backoff: 0, unschedulable: 0 } });
    expect(await nodesOf(plane, 'p1')).toEqual(['n1']);
  });

  it('reads nothing of the cluster while no pod waits', async () => {
    const plane = createMemoryControlPlane();
    await addNode(plane, 'n1');
    const ports = anotherProcess(plane);
    const objects = { ...ports.objects, page: () => Promise.reject(new Error('it reads the cluster')) };
    const report = await plane.clock.run(reconcile({ ...ports, objects }, { v: 1, kind: 'change' }));
    expect(report.waiting).toBeUndefined();
  });

  it('places a pod that the index does not show yet', async () => {
    const plane = createMemoryControlPlane();
    plane.set('stream', false);
    await endSweep(plane);
    await addNode(plane, 'n1');
    await addPod(plane, 'p1');
    const ports = anotherProcess(plane);
    const unboundPods = () => {
      throw new Error('it asks the index');
    };
    const objects = { ...ports.objects, unboundPods };
    await plane.clock.run(reconcile({ ...ports, objects }, { v: 1, kind: 'pod' }));
    expect(await nodesOf(plane, 'p1')).toEqual(['n1']);
  });

  it('lets one of two processes decide, and binds each pod once', async () => {
    const plane = createMemoryControlPlane();
    plane.set('stream', false);
    await endSweep(plane);
    await addNode(plane, 'n1');
    const names = Array.from({ length: 6 }, (_, n) => `p${n}`);
    for (const name of names) await addPod(plane, name);
    const runs = [anotherProcess(plane), anotherProcess(plane)].map((ports) =>
      reconcile(ports, { v: 1, kind: 'pod' }),
    );
    const reports = await plane.clock.run(Promise.all(runs));
    expect(reports.map(({ scheduled }) => scheduled).toSorted((a, b) => a - b)).toEqual([0, 4]);
    expect((await nodesOf(plane, ...names)).filter(Boolean)).toHaveLength(4);
  });

  it('binds nothing until all that takes room is counted', async () => {
    const plane = createMemoryControlPlane();
    plane.set('stream', false);
    await addNode(plane, 'n1');
    await addPod(plane, 'p1');
    const ports = anotherProcess(plane);
    await plane.clock.run(reconcile(ports, { v: 1, kind: 'pod' }));
    expect(await nodesOf(plane, 'p1')).toEqual(['']);
    await endSweep(plane);
    await plane.clock.run(reconcile(ports, { v: 1, kind: 'change' }));
    expect(await nodesOf(plane, 'p1')).toEqual(['n1']);
  });

  it('goes on with the other pods when one cannot be written, and tries that one again', async () => {
    const plane = createMemoryControlPlane();
    plane.set('stream', false);
    await endSweep(plane);
    await addNode(plane, 'n1');
    await addPod(plane, 'p1');
    await addPod(plane, 'p2');
    const ports = anotherProcess(plane);
    let isBroken = true;
    const writer: typeof ports.writer = {
      ...ports.writer,
      write: async (key, ...rest) =>
        isBroken && key.name === 'p1' ? Promise.reject(new Error('no')) : ports.writer.write(key, ...rest),
    };
    const first = await plane.clock.run(
      reconcile({ ...ports, writer, queues: { send: async () => {} } }, { v: 1, kind: 'pod' }),
    );
    expect(first.errors.length).toBeGreaterThan(0);
    expect(await nodesOf(plane, 'p1', 'p2')).toEqual(['', 'n1']);
    isBroken = false;
    await plane.clock.run(plane.clock.sleep(10 * SECOND));
    await plane.clock.run(reconcile({ ...ports, writer }, { v: 1, kind: 'change' }));
    expect(await nodesOf(plane, 'p1')).toEqual(['n1']);
  });

  it('does not count a node that is gone, nor pods that have gone with it', async () => {
    const plane = createMemoryControlPlane();
    await addNode(plane, 'n1');
    await addPod(plane, 'p1');
    await plane.run(2 * SECOND);
    await plane.writer.write(nodeKey('n1'), () => ({ next: 'delete', writer: 'client' }));
    await addPod(plane, 'p2');
    await plane.run(2 * SECOND);
    expect(await nodesOf(plane, 'p2')).toEqual(['']);
    await deletePod(plane, 'p1');
    await addNode(plane, 'n2');
    await plane.run(2 * SECOND);
    expect(await nodesOf(plane, 'p2')).toEqual(['n2']);
  });
});
