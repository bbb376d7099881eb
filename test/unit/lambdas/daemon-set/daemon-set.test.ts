import { describe, expect, it } from 'vitest';
import { byText } from '../../../../shared/kube/text/compare-text.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { ControllerRevision, Workload } from '../../../../shared/kube/types/workloads.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { targetNode } from '../../../../shared/rules/workloads/daemon-set/daemon-place.ts';
import { hashOfPod } from '../../../../shared/rules/workloads/daemon-set/daemon-pod.ts';
import { inRevisionOrder } from '../../../../shared/rules/workloads/revisions/controller-revisions.ts';
import type { ControlPlaneOptions } from '../../../../simulation/plane/control-plane-types.ts';
import { taint } from '../../../support/objects/domain-objects.ts';
import { anOwnedPod, referenceTo } from '../../../support/objects/workload-objects.ts';
import { aDaemonPlane, aDaemonSet, templateOf } from '../../../support/planes/daemon-plane.ts';

const SETS = 'daemonsets';
const NODES = ['n1', 'n2', 'n3'];

const withDaemons = async (spec: Parameters<typeof aDaemonSet>[0] = {}, nodes: readonly string[] = NODES) => {
  const plane = await aDaemonPlane(nodes);
  await plane.put(SETS, aDaemonSet({ ...templateOf('img:1'), ...spec }));
  await plane.rounds(2);
  return plane;
};
type Plane = Awaited<ReturnType<typeof withDaemons>>;

const fail = (plane: Plane, name: string) =>
  plane.change<Pod>('pods', name, (pod) => ({
    ...pod,
    status: { ...pod.status, phase: 'Failed', conditions: [] },
  }));
const podOn = async (plane: Plane, node: string): Promise<Pod> => {
  const pod = (await plane.pods()).find((one) => targetNode(one) === node);
  if (!pod) throw new Error(`no pod on ${node}`);
  return pod;
};
const numbersOf = async (plane: Plane) =>
  inRevisionOrder(await plane.list<ControllerRevision>('controllerrevisions')).map(
    ({ revision }) => revision,
  );
const imagesOf = async (plane: Plane) =>
  (await plane.pods())
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => (spec['containers'] as readonly { image: string }[])[0]?.image ?? '')
    .toSorted(byText);

describe('the DaemonSet controller', () => {
  it('makes one pod per node, pinned to it, with the tolerations of daemons (W-108, W-111)', async () => {
    const plane = await aDaemonPlane(NODES);
    await plane.put(SETS, aDaemonSet(templateOf('img:1')));
    await plane.run(2_000);
    expect(await plane.places()).toEqual(NODES);
    const [revision] = await plane.list<ControllerRevision>('controllerrevisions');
    const pod = await podOn(plane, 'n1');
    expect(pod).toMatchObject({
      metadata: {
        generateName: 'web-',
        labels: {
          app: 'web',
          'pod-template-generation': '1',
          'controller-revision-hash': revision?.metadata.labels?.['controller-revision-hash'],
        },
        ownerReferences: [referenceTo(aDaemonSet())],
      },
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] },
              ],
            },
          },
        },
      },
    });
    expect(pod.spec.tolerations?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ]);
    expect(plane.failures).toEqual([]);
  });

  it('counts nodes and pods in the status (W-119)', async () => {
    const plane = await withDaemons();
    expect(await plane.statusOf()).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
      observedGeneration: 1,
    });
  });

  it('follows nodes that come, go, are labelled, cordoned and tainted (W-109, W-110)', async () => {
    const plane = await withDaemons(templateOf('img:1', { nodeSelector: { disk: 'ssd' } }));
    expect(await plane.places()).toEqual([]);
    await plane.putNode('n1', { labels: { disk: 'ssd' } });
    await plane.putNode('n4', { labels: { disk: 'ssd' } });
    await plane.rounds(2);
    expect(await plane.places()).toEqual(['n1', 'n4']);
    await plane.putNode('n1', {
      labels: { disk: 'ssd' },
      taints: [taint('node.kubernetes.io/unschedulable:NoSchedule')],
    });
    await plane.putNode('n4', { labels: { disk: 'ssd' }, taints: [taint('k=v:NoSchedule')] });
    await plane.rounds(2);
    expect(await plane.places()).toEqual(['n1', 'n4']);
    expect(await plane.statusOf()).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 1 });
    await plane.putNode('n1', { labels: { disk: 'ssd' }, taints: [taint('k=v:NoExecute')] });
    await plane.rounds(2);
    expect(await plane.places()).toEqual(['n4']);
    await plane.putNode('n4', { labels: { disk: 'hdd' } });
    await plane.rounds(2);
    expect(await plane.places()).toEqual([]);
    await plane.putNode('n1', { labels: { disk: 'ssd' } });
    await plane.rounds(2);
    await plane.dropNode('n1');
    await plane.rounds(2);
    expect(await plane.statusOf()).toMatchObject({ desiredNumberScheduled: 0, currentNumberScheduled: 0 });
    expect(plane.failures).toEqual([]);
  });

  it('looks again only when the rules read what has changed of a node (W-110)', async () => {
    const looks: string[] = [];
    const invocation: ControlPlaneOptions['invocation'] = (ports) => ({
      ...ports,
      ownerTurns: {
        ...ports.ownerTurns,
        begin: (owner, ...rest) => {
          looks.push(owner);
          return ports.ownerTurns.begin(owner, ...rest);
        },
      },
    });
    const plane = await aDaemonPlane(NODES, { invocation });
    const nodeSelector = { disk: 'ssd' };
    await plane.put(SETS, aDaemonSet(templateOf('img:1'), 'everywhere'));
    await plane.put(SETS, aDaemonSet(templateOf('img:1', { nodeSelector }), 'some'));
    await plane.rounds(6);
    const looked = async () => {
      looks.length = 0;
      await plane.run(2_000);
      return [...new Set(looks)].toSorted();
    };
    await plane.putNode('n1', { labels: { colour: 'red' } });
    await plane.putNode('n2', { taints: [taint('node.kubernetes.io/not-ready:NoExecute')] });
    await plane.putNode('n3', { taints: [taint('k=v:PreferNoSchedule')] });
    expect(await looked()).toEqual([]);
    await plane.putNode('n4');
    expect(await looked()).toEqual(['uid-of-everywhere']);
    await plane.putNode('n1', { labels: { disk: 'hdd' } });
    expect(await looked()).toEqual(['uid-of-some']);
    await plane.putNode('n1', { labels: { disk: 'hdd' }, taints: [taint('k=v:NoSchedule')] });
    expect(await looked()).toEqual(['uid-of-everywhere', 'uid-of-some']);
  });

  it('deletes a pod that waits for a node that is gone (W-115)', async () => {
    const plane = await aDaemonPlane(NODES);
    await plane.put(SETS, aDaemonSet(templateOf('img:1')));
    await plane.run(2_000);
    await plane.dropNode('n2');
    await plane.run(2_000);
    expect(await plane.places()).toEqual(['n1', 'n3']);
  });

  it('replaces a pod that has failed, and says so (W-113)', async () => {
    const plane = await withDaemons();
    await plane.run(60_000);
    const pod = await podOn(plane, 'n2');
    await fail(plane, pod.metadata.name);
    await plane.rounds(2);
    expect(await plane.places()).toEqual(NODES);
    const next = await podOn(plane, 'n2');
    expect(next.metadata.name).not.toBe(pod.metadata.name);
    expect(next.metadata.annotations).toBeUndefined();
    expect(await plane.eventsOf()).toContain(
      `DaemonSet/web Warning FailedDaemonPod Found failed daemon pod default/${pod.metadata.name} on node n2, will try to kill it (daemonset-controller)`,
    );
  });

  it('waits longer and longer for a pod that fails at once (W-113)', async () => {
    const plane = await aDaemonPlane(['n1']);
    await plane.put(SETS, aDaemonSet(templateOf('img:1')));
    const names = new Set<string>();
    for (let second = 0; second < 120; second += 1) {
      await plane.run(1_000);
      for (const { metadata, status } of await plane.pods()) {
        names.add(metadata.name);
        if (status?.phase === 'Pending') await fail(plane, metadata.name);
      }
    }
    // After 1, 2, 4, 8, 16, 32 s and the time in which the test notices.
    expect(names.size).toBeGreaterThanOrEqual(6);
    expect(names.size).toBeLessThanOrEqual(7);
  });

  it('keeps the oldest of several pods of a node (W-114)', async () => {
    const plane = await withDaemons();
    const owner = aDaemonSet();
    const hash = { 'controller-revision-hash': hashOfPod(await podOn(plane, 'n1')) };
    await plane.put(
      'pods',
      anOwnedPod({
        name: 'twin',
        owner,
        nodeName: 'n1',
        labels: { app: 'web', ...hash },
        createdAt: plane.clock.now() + 1_000,
        readySince: plane.clock.now(),
      }),
    );
    await plane.rounds(2);
    expect(await plane.places()).toEqual(NODES);
    expect(await plane.read('pods', 'twin')).toBeUndefined();
  });

  it('adopts pods of its nodes, and releases those that it no longer selects (W-41, W-42)', async () => {
    const plane = await aDaemonPlane(NODES);
    await plane.put('pods', anOwnedPod({ name: 'orphan', nodeName: 'n1', readySince: 0 }));
    await plane.put(SETS, aDaemonSet({ ...templateOf('img:1'), updateStrategy: { type: 'OnDelete' } }));
    await plane.rounds(2);
    expect(await plane.places()).toEqual(NODES);
    expect((await plane.read<Pod>('pods', 'orphan'))?.metadata.ownerReferences).toHaveLength(1);
    await plane.change<Pod>('pods', 'orphan', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: {} },
    }));
    await plane.rounds(2);
    expect((await plane.read<Pod>('pods', 'orphan'))?.metadata.ownerReferences).toBeUndefined();
    expect(await plane.places()).toEqual(['n1', 'n1', 'n2', 'n3']);
  });

  it('replaces one pod after the other by default, and keeps a revision per template (W-116)', async () => {
    const plane = await withDaemons();
    await plane.respec(SETS, 'web', templateOf('img:2'));
    let least = 3;
    for (let round = 0; round < 20; round += 1) {
      await plane.run(1_000);
      const up = (await plane.pods()).filter(
        ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === 'Running',
      );
      least = Math.min(least, up.length);
      await plane.kubelets();
    }
    expect(least).toBe(2);
    expect(await imagesOf(plane)).toEqual(['img:2', 'img:2', 'img:2']);
    expect(await plane.statusOf()).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
    expect(await numbersOf(plane)).toEqual([1, 2]);
  });

  it('goes back to an earlier revision (W-103)', async () => {
    const plane = await withDaemons();
    await plane.respec(SETS, 'web', templateOf('img:2'));
    await plane.rounds(15);
    await plane.respec(SETS, 'web', templateOf('img:1'));
    await plane.rounds(15);
    expect(await imagesOf(plane)).toEqual(['img:1', 'img:1', 'img:1']);
    expect(await numbersOf(plane)).toEqual([2, 3]);
  });

  it('makes the new pod first where it may surge, and never a third (W-117)', async () => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } };
    const plane = await withDaemons({ updateStrategy });
    await plane.respec(SETS, 'web', templateOf('img:2'));
    let [most, least] = [0, 3];
    for (let round = 0; round < 20; round += 1) {
      await plane.run(1_000);
      const pods = (await plane.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      most = Math.max(most, pods.length);
      least = Math.min(least, pods.filter(({ status }) => status?.phase === 'Running').length);
      await plane.kubelets();
    }
    expect([most, least]).toEqual([5, 3]);
    expect(await imagesOf(plane)).toEqual(['img:2', 'img:2', 'img:2']);
  });

  it('leaves old pods alone with OnDelete until somebody deletes them (W-116)', async () => {
    const plane = await withDaemons({ updateStrategy: { type: 'OnDelete' } });
    await plane.respec(SETS, 'web', templateOf('img:2'));
    await plane.rounds(3);
    expect(await imagesOf(plane)).toEqual(['img:1', 'img:1', 'img:1']);
    expect(await plane.statusOf()).not.toHaveProperty('updatedNumberScheduled');
    await plane.change('pods', (await podOn(plane, 'n1')).metadata.name, () => 'delete');
    await plane.rounds(2);
    expect(await imagesOf(plane)).toEqual(['img:1', 'img:1', 'img:2']);
  });

  it('counts a pod as available once it was ready for minReadySeconds, without any further event (W-46)', async () => {
    const plane = await withDaemons({ minReadySeconds: 300 });
    await plane.run(290_000);
    expect(await plane.statusOf()).not.toHaveProperty('numberAvailable');
    await plane.run(15_000);
    expect(await plane.statusOf()).toMatchObject({ numberAvailable: 3 });
  });

  it('keeps as many old revisions as revisionHistoryLimit says (W-107)', async () => {
    const plane = await withDaemons({ revisionHistoryLimit: 1 });
    for (const image of ['img:2', 'img:3', 'img:4']) {
      await plane.respec(SETS, 'web', templateOf(image));
      await plane.rounds(15);
    }
    expect(await numbersOf(plane)).toEqual([3, 4]);
  });

  it('relabels pods and removes the older of two revisions with the same template (W-103)', async () => {
    const plane = await withDaemons();
    const [first] = await plane.list<ControllerRevision>('controllerrevisions');
    if (!first) throw new Error('no revision');
    const labels = { ...first.metadata.labels, 'controller-revision-hash': 'copy' };
    await plane.put('controllerrevisions', {
      ...first,
      metadata: { ...first.metadata, name: 'copy', uid: 'uid-of-copy', labels },
      revision: 2,
    } as ControllerRevision);
    await plane.change('pods', (await podOn(plane, 'n1')).metadata.name, () => 'delete');
    await plane.rounds(2);
    expect((await plane.list(`controllerrevisions`)).map(({ metadata }) => metadata.name)).toEqual(['copy']);
    expect((await plane.pods()).map(hashOfPod)).toEqual(['copy', 'copy', 'copy']);
  });

  it('does nothing for one that is being deleted', async () => {
    const plane = await withDaemons();
    await plane.change<Workload>(SETS, 'web', (owner) => ({
      ...owner,
      metadata: { ...owner.metadata, deletionTimestamp: toTime(plane.clock.now()), finalizers: ['x/y'] },
    }));
    await plane.change('pods', (await podOn(plane, 'n1')).metadata.name, () => 'delete');
    await plane.rounds(2);
    expect(await plane.places()).toEqual(['n2', 'n3']);
  });

  it('says why a pod is refused, and tries again later (W-53)', async () => {
    const plane = await withDaemons(templateOf('img:1', { priorityClassName: 'missing' }));
    expect(await plane.places()).toEqual([]);
    expect(
      (await plane.eventsOf()).some((event) => event.includes('Warning FailedCreate Error creating')),
    ).toBe(true);
    expect(await plane.statusOf()).toMatchObject({ desiredNumberScheduled: 3, currentNumberScheduled: 0 });
  });

  it('misses nothing when changes are lost: the resync each hour finds it (W-57)', async () => {
    const plane = await withDaemons();
    await plane.run(5_000);
    plane.set('stream', false);
    await plane.putNode('n9');
    await plane.change('pods', (await podOn(plane, 'n1')).metadata.name, () => 'delete');
    await plane.run(5_000);
    plane.set('stream', true);
    expect(await plane.places()).toEqual(['n2', 'n3']);
    await plane.run(3_600_000);
    expect(await plane.places()).toEqual([...NODES, 'n9']);
  });
});
