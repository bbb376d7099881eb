import { describe, expect, it } from 'vitest';
import { telemetry } from '../../../../lambdas/pod-gc/metrics.ts';
import { reconcile } from '../../../../lambdas/pod-gc/reconcile.ts';
import { sweep } from '../../../../lambdas/pod-gc/sweep.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { LogEntry } from '../../../../shared/ports/store/change-log.ts';
import { withDeletion } from '../../../../shared/rules/pods/deletion.ts';
import type { ControlPlane, ControlPlaneOptions } from '../../../../simulation/plane/control-plane-types.ts';
import { taint } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const SECOND = 1_000;
const OUT = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute';
const HELD = ['a.b/c'];

const aPlane = async (options: ControlPlaneOptions = {}) => {
  const plane = createMemoryControlPlane(options);
  // Past the first sweep.
  await plane.run(20 * SECOND);
  return plane;
};

const podNames = async ({ state }: ControlPlane): Promise<readonly string[]> =>
  (await state.objects.page({ resource: 'pods', namespace: '' })).rows.map(({ key }) => key.name);

const hold = (plane: ControlPlane, name: string): Promise<void> =>
  fleet.changePod(plane, name, (pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: HELD } }));

const terminate = (plane: ControlPlane, name: string, seconds = 30): Promise<void> =>
  fleet.changePod(plane, name, (pod) => withDeletion(pod, seconds, plane.clock.now()));

const end = (plane: ControlPlane, name: string, phase: 'Failed' | 'Succeeded'): Promise<void> =>
  fleet.changePod(plane, name, (pod) => ({ ...pod, status: { ...pod.status, phase } }));

/** The last state in which watchers saw a pod that is gone. */
const lastState = async ({ state }: ControlPlane, name: string): Promise<Pod> => {
  const { counter = 0, seed = 0 } = (await state.objects.counter('pods')) ?? {};
  const { slots } = await state.objects.slots('pods', seed, counter);
  const entries = [...slots.values()].filter((slot) => slot.slot === 'entry' && slot.key.name === name);
  return (entries.at(-1) as LogEntry).object as Pod;
};

const outOfService = (plane: ControlPlane, name: string, text = OUT): Promise<void> =>
  fleet.changeNode(plane, name, (node) => ({ ...node, spec: { ...node.spec, taints: [taint(text)] } }));

describe('orphans', () => {
  it('go 40 s after their node was deleted, whatever they tolerate and whatever their phase is (K-73, K-76)', async () => {
    const plane = await aPlane();
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await fleet.addNode(plane, 'n2', { ready: 'True' });
    await fleet.addPod(plane, 'running', { node: 'n1', tolerations: [{ operator: 'Exists' }] });
    await fleet.addPod(plane, 'done', { node: 'n1', phase: 'Succeeded' });
    await fleet.addPod(plane, 'leaving', { node: 'n1' });
    await fleet.addPod(plane, 'other', { node: 'n2' });
    await terminate(plane, 'leaving');
    await fleet.removeNode(plane, 'n1');
    await plane.run(39 * SECOND);
    expect(await podNames(plane)).toEqual(['done', 'leaving', 'other', 'running']);
    await plane.run(3 * SECOND);
    expect(await podNames(plane)).toEqual(['other']);
    expect((await lastState(plane, 'done')).status?.phase).toBe('Succeeded');
    expect(await lastState(plane, 'running')).toMatchObject({
      metadata: { generation: 2, deletionGracePeriodSeconds: 0 },
      status: { phase: 'Failed', observedGeneration: 1, conditions: [{}, { reason: 'DeletionByPodGC' }] },
    });
    expect(await plane.state.control.sightings('absent-node')).toEqual([]);
  });

  it('stay if their node is there again (K-76)', async () => {
    const plane = await aPlane();
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await fleet.addPod(plane, 'p', { node: 'n1' });
    await fleet.removeNode(plane, 'n1');
    await plane.run(30 * SECOND);
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await plane.run(30 * SECOND);
    expect(await podNames(plane)).toEqual(['p']);
    expect(await plane.state.control.sightings('absent-node')).toEqual([]);
  });

  it('have 40 s anew if their node was there in between (K-76)', async () => {
    const plane = await aPlane();
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await fleet.addPod(plane, 'p', { node: 'n1' });
    await fleet.removeNode(plane, 'n1');
    await plane.run(30 * SECOND);
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await fleet.removeNode(plane, 'n1');
    await plane.run(38 * SECOND);
    expect(await podNames(plane)).toEqual(['p']);
    await plane.run(5 * SECOND);
    expect(await podNames(plane)).toEqual([]);
  });

  it('are found when they are bound to a node that never was (K-83)', async () => {
    const plane = await aPlane();
    await fleet.addPod(plane, 'p', { node: 'ghost' });
    await plane.run(38 * SECOND);
    expect(await podNames(plane)).toEqual(['p']);
    await plane.run(4 * SECOND);
    expect(await podNames(plane)).toEqual([]);
  });

  it('that finalizers hold become Failed, once (K-77, K-80)', async () => {
    const plane = await aPlane();
    await fleet.addPod(plane, 'p', { node: 'ghost' });
    await hold(plane, 'p');
    await plane.run(45 * SECOND);
    expect(await fleet.readPod(plane, 'p')).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 0, finalizers: HELD },
      status: { phase: 'Failed', conditions: [{}, { reason: 'DeletionByPodGC' }] },
    });
    const commits = plane.commits.length;
    await plane.run(3_600 * SECOND);
    expect(
      plane.commits.slice(commits).filter(({ change }) => change.after?.key.resource === 'pods'),
    ).toEqual([]);
    await fleet.changePod(plane, 'p', () => 'delete');
    await plane.run(400 * SECOND);
    expect(await plane.state.control.sightings('absent-node')).toEqual([]);
  });

  it('go on time after a restart: the instant is stored, and the sweep goes on (K-76, K-84)', async () => {
    const plane = await aPlane();
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await fleet.addPod(plane, 'p', { node: 'n1' });
    await fleet.removeNode(plane, 'n1');
    await plane.run(5 * SECOND);
    plane.set('pod-gc', false);
    await plane.run(60 * SECOND);
    plane.set('pod-gc', true);
    await plane.clock.run(sweep(plane.invoke()));
    await plane.run(SECOND);
    expect(await podNames(plane)).toEqual([]);
  });

  it('go on time if the run died that began their quarantine (K-76)', async () => {
    const plane = await aPlane();
    plane.set('pod-gc', false);
    await fleet.addPod(plane, 'p', { node: 'ghost' });
    await plane.run(SECOND);
    plane.set('pod-gc', true);
    const ports = plane.invoke();
    const dead = new Promise<never>(() => undefined);
    for (const replaceSighting of [() => dead, ports.control.replaceSighting]) {
      const control = { ...ports.control, replaceSighting };
      void reconcile({ ...ports, control }, { v: 1, kind: 'node', name: 'ghost' });
      await plane.run(SECOND);
    }
    await plane.run(42 * SECOND);
    expect(await podNames(plane)).toEqual([]);
  });

  it('are found by the sweep if all messages were lost (K-84)', async () => {
    const plane = await aPlane();
    plane.set('pod-gc', false);
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await fleet.addPod(plane, 'p', { node: 'n1' });
    await fleet.addPod(plane, 'q', { node: 'ghost' });
    await fleet.removeNode(plane, 'n1');
    await plane.run(60 * SECOND);
    plane.set('pod-gc', true);
    expect(await podNames(plane)).toEqual(['p', 'q']);
    await plane.run(400 * SECOND);
    expect(await podNames(plane)).toEqual([]);
  });

  it.each([
    ['came back', false],
    ['came back and went again', true],
  ])('are not deleted by a run that has read the node before it %s (K-82)', async (_, goesAgain) => {
    const plane = await aPlane();
    await fleet.addPod(plane, 'p', { node: 'ghost' });
    await plane.run(30 * SECOND);
    plane.set('pod-gc', false);
    await plane.run(30 * SECOND);
    const ports = plane.invoke();
    const writer: typeof ports.writer = {
      ...ports.writer,
      destroy: async (key, decide, seen) => {
        await fleet.addNode(plane, 'ghost', { ready: 'True' });
        if (goesAgain) await fleet.removeNode(plane, 'ghost');
        return ports.writer.destroy(key, decide, seen);
      },
    };
    const report = await plane.clock.run(
      reconcile({ ...ports, writer }, { v: 1, kind: 'node', name: 'ghost' }),
    );
    expect(report).toEqual([]);
    expect(await podNames(plane)).toEqual(['p']);
  });
});

describe('nodes out of service', () => {
  const silentNode = async (plane: ControlPlane) => {
    await fleet.addNode(plane, 'n1', { ready: 'False' });
    for (const name of ['leaving', 'staying']) {
      const tolerations = [{ operator: 'Exists' as const }];
      await fleet.addPod(plane, name, { node: 'n1', tolerations });
    }
    await terminate(plane, 'leaving');
    await plane.run(SECOND);
  };

  it.each([
    OUT,
    OUT.replace('NoExecute', 'NoSchedule'),
    'node.kubernetes.io/out-of-service:PreferNoSchedule',
  ])('lose their terminating pods at once, by %s (K-74, K-78)', async (text) => {
    const plane = await aPlane();
    await silentNode(plane);
    expect(await podNames(plane)).toEqual(['leaving', 'staying']);
    await outOfService(plane, 'n1', text);
    await plane.run(SECOND);
    expect(await podNames(plane)).toEqual(['staying']);
    expect((await lastState(plane, 'leaving')).status).toMatchObject({ phase: 'Failed', conditions: [{}] });
  });

  it('lose a pod soon that begins to terminate there (K-83, K-86)', async () => {
    const plane = await aPlane();
    await silentNode(plane);
    await outOfService(plane, 'n1');
    await plane.run(SECOND);
    await terminate(plane, 'staying');
    await plane.run(SECOND);
    expect(await podNames(plane)).toEqual(['staying']);
    await plane.run(2 * SECOND);
    expect(await podNames(plane)).toEqual([]);
  });

  it('keep their pods while they are ready, and lose them when they fall silent (K-74, K-83)', async () => {
    const plane = await aPlane();
    await fleet.addNode(plane, 'n1', { ready: 'True', taints: [taint(OUT)] });
    await fleet.addPod(plane, 'p', { node: 'n1', tolerations: [{ operator: 'Exists' }] });
    await terminate(plane, 'p');
    await plane.run(5 * SECOND);
    expect(await podNames(plane)).toEqual(['p']);
    await fleet.silence(plane, 'n1');
    await plane.run(SECOND);
    expect(await podNames(plane)).toEqual([]);
  });

  it('are warned of while their machine speaks, once for each reason (K-87)', async () => {
    const plane = await aPlane();
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    await outOfService(plane, 'n1');
    await plane.run(SECOND);
    await fleet.postReady(plane, 'n1', 'False');
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      await plane.run(30 * SECOND);
      await fleet.beat(plane, 'n1');
      await plane.clock.run(sweep(plane.invoke()));
      await plane.run(SECOND);
    }
    const told = fleet.eventsOf(plane).filter((text) => text.startsWith('OutOfService'));
    expect(told.map((text) => text.split(':')[0])).toEqual([
      'OutOfServiceNodeReady',
      'OutOfServiceNodeAlive',
    ]);
  });

  it('are found by the sweep if the message was lost (K-84)', async () => {
    const plane = await aPlane();
    await silentNode(plane);
    plane.set('pod-gc', false);
    await outOfService(plane, 'n1');
    await plane.run(SECOND);
    plane.set('pod-gc', true);
    await plane.run(300 * SECOND);
    expect(await podNames(plane)).toEqual(['staying']);
  });

  it('are read again if they change while a pod is deleted (K-82)', async () => {
    const plane = await aPlane();
    await silentNode(plane);
    plane.set('pod-gc', false);
    await outOfService(plane, 'n1');
    const ports = plane.invoke();
    let isFirst = true;
    const writer: typeof ports.writer = {
      ...ports.writer,
      destroy: async (key, decide, seen) => {
        if (isFirst) await fleet.postReady(plane, 'n1', 'False');
        isFirst = false;
        return ports.writer.destroy(key, decide, seen);
      },
    };
    const report = await plane.clock.run(reconcile({ ...ports, writer }, { v: 1, kind: 'node', name: 'n1' }));
    expect(report).toEqual([{ namespace: 'default', reason: 'out-of-service', outcome: 'deleted' }]);
  });
});

describe('terminating pods without a node', () => {
  it('become Failed and go, unless finalizers hold them (K-75, K-78)', async () => {
    const plane = await aPlane();
    for (const name of ['held', 'waiting']) await fleet.addPod(plane, name);
    await hold(plane, 'held');
    await terminate(plane, 'held', 0);
    await plane.run(4 * SECOND);
    expect((await fleet.readPod(plane, 'held'))?.status?.phase).toBe('Running');
    await plane.run(2 * SECOND);
    expect(await podNames(plane)).toEqual(['held', 'waiting']);
    expect((await fleet.readPod(plane, 'held'))?.status).toMatchObject({
      phase: 'Failed',
      observedGeneration: 2,
    });
  });

  it('are found by the sweep if the message was lost (K-84)', async () => {
    const plane = await aPlane();
    plane.set('pod-gc', false);
    await fleet.addPod(plane, 'p');
    await terminate(plane, 'p');
    await plane.run(SECOND);
    plane.set('pod-gc', true);
    await plane.run(300 * SECOND);
    expect(await podNames(plane)).toEqual([]);
  });
});

describe('terminated pods', () => {
  const fill = async (plane: ControlPlane, count: number) => {
    await fleet.addNode(plane, 'n1', { ready: 'True' });
    for (let n = 0; n < count; n += 1) {
      await fleet.addPod(plane, `p${n}`, { node: 'n1' });
      await end(plane, `p${n}`, n % 2 === 0 ? 'Succeeded' : 'Failed');
      await plane.clock.sleep(SECOND);
    }
  };

  it('beyond the threshold go, the oldest first, at the first look or 20 s after the last one (K-71, K-81)', async () => {
    const plane = await aPlane({ terminatedPodGcThreshold: 2 });
    await plane.clock.run(fill(plane, 5));
    await plane.run(25 * SECOND);
    expect(await podNames(plane)).toEqual(['p3', 'p4']);
    await fleet.addPod(plane, 'late', { node: 'n1', phase: 'Succeeded' });
    await plane.run(SECOND);
    await plane.run(25 * SECOND);
    expect(await podNames(plane)).toEqual(['late', 'p4']);
  });

  it('are counted at most each 20 s while pods end (K-81)', async () => {
    const looks: number[] = [];
    const plane = await aPlane({
      terminatedPodGcThreshold: 2,
      invocation: (ports) => ({
        ...ports,
        objects: {
          ...ports.objects,
          terminatedPods: () => {
            looks.push(ports.clock.now());
            return ports.objects.terminatedPods();
          },
        },
      }),
    });
    looks.length = 0;
    await plane.clock.run(fill(plane, 60));
    expect(looks.length).toBeGreaterThanOrEqual(3);
    expect(looks.length).toBeLessThanOrEqual(4);
  });

  it.each([0, -1])('are kept with a threshold of %i (K-71)', async (terminatedPodGcThreshold) => {
    const plane = await aPlane({ terminatedPodGcThreshold });
    await plane.clock.run(fill(plane, 4));
    await plane.run(600 * SECOND);
    expect(await podNames(plane)).toHaveLength(4);
  });

  it('are found by the sweep if messages were lost (K-84)', async () => {
    const plane = await aPlane({ terminatedPodGcThreshold: 1 });
    plane.set('pod-gc', false);
    await plane.clock.run(fill(plane, 3));
    plane.set('pod-gc', true);
    await plane.run(300 * SECOND);
    expect(await podNames(plane)).toEqual(['p2']);
  });

  it('of the same name that came later are left alone (K-82)', async () => {
    const plane = await aPlane({ terminatedPodGcThreshold: 1 });
    plane.set('pod-gc', false);
    await plane.clock.run(fill(plane, 2));
    const ports = plane.invoke();
    const stale = await Array.fromAsync(ports.objects.terminatedPods());
    await fleet.changePod(plane, 'p0', () => 'delete');
    await plane.run(SECOND);
    await fleet.addPod(plane, 'p0', { node: 'n1', phase: 'Succeeded' });
    const objects = {
      ...ports.objects,
      async *terminatedPods() {
        yield* stale;
      },
    };
    const message = { v: 1, kind: 'terminated', isPlanned: true } as const;
    expect(await plane.clock.run(reconcile({ ...ports, objects }, message))).toEqual([]);
    expect(await podNames(plane)).toEqual(['p0', 'p1']);
  });
});

describe('a run', () => {
  it('tries a pod again after 20 s that could not be deleted, and reports both (K-85)', async () => {
    const plane = await aPlane();
    await fleet.addNode(plane, 'n1', { ready: 'False', taints: [taint(OUT)] });
    plane.set('pod-gc', false);
    for (const name of ['p', 'q']) {
      await fleet.addPod(plane, name, { node: 'n1', tolerations: [{ operator: 'Exists' }] });
      await terminate(plane, name);
    }
    const ports = plane.invoke();
    const error = new Error('no');
    const writer: typeof ports.writer = {
      ...ports.writer,
      destroy: async (key, ...rest) => {
        if (key.name === 'p') throw error;
        return ports.writer.destroy(key, ...rest);
      },
    };
    const message = { v: 1, kind: 'node', name: 'n1' } as const;
    plane.set('pod-gc', true);
    const report = await plane.clock.run(reconcile({ ...ports, writer }, message));
    const told = { namespace: 'default', reason: 'out-of-service' } as const;
    expect(report).toEqual([
      { ...told, outcome: 'failed', error },
      { ...told, outcome: 'deleted' },
    ]);
    const labels = told;
    expect(telemetry.metricsOf(report)).toEqual([
      {
        metric: expect.objectContaining({ name: 'force_delete_pods_total' }),
        samples: [{ value: 1, labels }],
      },
      {
        metric: expect.objectContaining({ name: 'force_delete_pod_errors_total' }),
        samples: [{ value: 1, labels }],
      },
    ]);
    expect(telemetry.linesOf(report)).toMatchObject([{ level: 'error', fields: { pods: 1, error } }]);
    await plane.run(25 * SECOND);
    expect(await podNames(plane)).toEqual([]);
  });

  it('goes on with another message when its time is over, until all pods are gone', async () => {
    const plane = await aPlane();
    const slow = (ports: ReturnType<ControlPlane['invoke']>) => ({
      ...ports,
      writer: {
        ...ports.writer,
        destroy: async (...given: Parameters<typeof ports.writer.destroy>) => {
          await ports.clock.sleep(4 * SECOND);
          return ports.writer.destroy(...given);
        },
      },
      podsAtOnce: 1,
    });
    await fleet.addNode(plane, 'n1', { ready: 'False', taints: [taint(OUT)] });
    plane.set('pod-gc', false);
    for (let n = 0; n < 5; n += 1) {
      await fleet.addPod(plane, `p${n}`, { node: 'n1', tolerations: [{ operator: 'Exists' }] });
      await terminate(plane, `p${n}`);
    }
    await plane.run(3 * SECOND);
    plane.set('pod-gc', true);
    const message = { v: 1, kind: 'node', name: 'n1' } as const;
    const report = await plane.clock.run(reconcile(slow(plane.invoke()), message));
    expect(report).toHaveLength(3);
    await plane.run(SECOND);
    expect(await podNames(plane)).toEqual([]);
  });
});
