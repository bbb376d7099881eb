import { describe, expect, it } from 'vitest';
import type { Workload } from '../../../../shared/kube/types/workloads.ts';
import { namespaceKey } from '../../../../shared/ports/store/rows.ts';
import { inTurn, TURN_LEASE_MS } from '../../../../shared/store/turns/owner-turns.ts';
import { anOwnedPod, aWorkload, referenceTo } from '../../../support/objects/workload-objects.ts';
import { aWorkloadPlane } from '../../../support/planes/workload-plane.ts';

const RS = 'replicasets';
const owner = aWorkload();

const withReplicaSet = async (replicas = 3, more: Workload['spec'] = {}) => {
  const plane = await aWorkloadPlane();
  await plane.put(RS, aWorkload({ spec: { replicas, ...more } }));
  await plane.run(2_000);
  return plane;
};

describe('the ReplicaSet controller', () => {
  it('creates the pods that are missing, as the API would (W-48, W-54)', async () => {
    const plane = await withReplicaSet(3);
    const pods = await plane.pods();
    expect(pods).toHaveLength(3);
    expect(pods[0]).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^web-[a-z0-9]{5}$/),
        generateName: 'web-',
        namespace: 'default',
        labels: { app: 'web' },
        generation: 1,
        ownerReferences: [referenceTo(owner)],
      },
      spec: {
        serviceAccountName: 'default',
        priority: 0,
        restartPolicy: 'Always',
        tolerations: expect.arrayContaining([
          expect.objectContaining({ key: 'node.kubernetes.io/not-ready', tolerationSeconds: 300 }),
        ]),
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
    const events = await plane.eventsOf();
    expect(events.filter((event) => event.startsWith('ReplicaSet/')).toSorted()).toEqual(
      pods
        .map(
          ({ metadata: { name } }) =>
            `ReplicaSet/web Normal SuccessfulCreate Created pod: ${name} (replicaset-controller)`,
        )
        .toSorted(),
    );
    expect(plane.failures).toEqual([]);
  });

  it('counts pods in the status (W-52)', async () => {
    const plane = await withReplicaSet(2);
    await plane.kubelets();
    await plane.run(2_000);
    expect((await plane.read<Workload>(RS, 'web'))?.status).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      observedGeneration: 1,
    });
  });

  it('counts a pod as available once it was ready for minReadySeconds, without any further event (W-46)', async () => {
    const plane = await withReplicaSet(1, { minReadySeconds: 1_000 });
    await plane.kubelets();
    const available = async () => (await plane.read<Workload>(RS, 'web'))?.status?.['availableReplicas'];
    await plane.run(998_000);
    expect(await available()).toBeUndefined();
    await plane.run(5_000);
    expect(await available()).toBe(1);
  });

  it('replaces pods that go, fail or begin to leave (W-45, W-48)', async () => {
    const plane = await withReplicaSet(3);
    const [first, second, third] = await plane.pods();
    await plane.change('pods', first?.metadata.name ?? '', () => 'delete');
    await plane.change('pods', second?.metadata.name ?? '', (pod) => ({
      ...pod,
      status: { phase: 'Failed' },
    }));
    await plane.change('pods', third?.metadata.name ?? '', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }));
    await plane.run(2_000);
    // The failed one stays for whoever wants to look at it, the leaving one until its node confirms.
    expect(await plane.pods()).toHaveLength(5);
  });

  it('deletes the surplus, with events; a pod on a node gets its grace period (W-47, W-48)', async () => {
    const plane = await withReplicaSet(4);
    await plane.kubelets();
    await plane.respec(RS, 'web', { replicas: 1 });
    await plane.run(2_000);
    const leaving = (await plane.pods()).filter(({ metadata }) => metadata.deletionTimestamp);
    expect(leaving).toHaveLength(3);
    expect(leaving[0]?.metadata.deletionGracePeriodSeconds).toBe(30);
    const events = await plane.eventsOf();
    expect(events.filter((event) => event.includes('SuccessfulDelete Deleted pod: web-'))).toHaveLength(3);
    await plane.kubelets();
    await plane.run(2_000);
    expect((await plane.read<Workload>(RS, 'web'))?.status).toMatchObject({
      replicas: 1,
      observedGeneration: 2,
    });
  });

  it('adopts pods that are there before it, and pods that lose their owner or get its labels (W-42, W-56)', async () => {
    const plane = await aWorkloadPlane();
    // The garbage collector takes an owner of a kind that is not served for living.
    const foreign = { ...aWorkload({ name: 'elsewhere', kind: 'Thing' }), apiVersion: 'example.com/v1' };
    await plane.put('pods', anOwnedPod({ name: 'early' }));
    await plane.put('pods', anOwnedPod({ name: 'other', labels: { app: 'db' } }));
    await plane.put('pods', anOwnedPod({ name: 'owned', owner: foreign }));
    await plane.run(1_000);
    await plane.put(RS, aWorkload({ spec: { replicas: 3 } }));
    await plane.run(2_000);
    const controllers = async () =>
      Object.fromEntries(
        (await plane.pods()).map(({ metadata }) => [metadata.name, metadata.ownerReferences?.[0]?.name]),
      );
    expect(await controllers()).toMatchObject({ early: 'web', other: undefined, owned: 'elsewhere' });
    await plane.change('pods', 'other', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { app: 'web' } },
    }));
    await plane.change('pods', 'owned', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, ownerReferences: [] },
    }));
    await plane.run(8_000);
    const after = await plane.pods();
    expect(after.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toHaveLength(3);
    expect(plane.failures).toEqual([]);
  });

  it('releases a pod that loses its labels, and makes another one (W-41)', async () => {
    const plane = await withReplicaSet(1);
    const name = (await plane.pods())[0]?.metadata.name ?? '';
    await plane.change('pods', name, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: {} } }));
    await plane.run(2_000);
    const pods = await plane.pods();
    expect(pods).toHaveLength(2);
    expect(pods.find(({ metadata }) => metadata.name === name)?.metadata.ownerReferences).toBeUndefined();
  });

  it('makes pods with the default toleration seconds of their namespace (A-27, W-54)', async () => {
    const plane = await aWorkloadPlane();
    const annotations = { 'rollcall.dev/default-unreachable-toleration-seconds': '30' };
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', annotations } };
    await plane.writer.write(namespaceKey('default'), () => ({ next: namespace, writer: 'client' }));
    await plane.put(RS, aWorkload({ spec: { replicas: 1 } }));
    await plane.run(2_000);
    expect((await plane.pods())[0]?.spec.tolerations).toMatchObject([
      { key: 'node.kubernetes.io/not-ready', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', tolerationSeconds: 30 },
    ]);
  });

  it('reports pods whose service account does not exist, and makes them once it does (A-20, W-53)', async () => {
    const spec = { ...owner.spec?.template?.spec, serviceAccountName: 'robot' };
    const template = { ...owner.spec?.template, spec };
    const plane = await withReplicaSet(1, { template });
    expect(await plane.pods()).toEqual([]);
    expect(await plane.eventsOf()).toContainEqual(
      expect.stringMatching(
        /FailedCreate Error creating: pods "web-.*" is forbidden: error looking up service account default\/robot: serviceaccount "robot" not found/,
      ),
    );
    const metadata = { name: 'robot', namespace: 'default' };
    await plane.put('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    await plane.run(60_000);
    expect(await plane.pods()).toHaveLength(1);
  });

  it('says why pods are refused, tries again ever more rarely, and forgets it with the first success (W-53)', async () => {
    const template = { ...owner.spec?.template, spec: { priorityClassName: 'missing', containers: [] } };
    const plane = await withReplicaSet(5, { template });
    expect(await plane.pods()).toEqual([]);
    const message = expect.stringContaining('no PriorityClass with name missing was found');
    expect((await plane.read<Workload>(RS, 'web'))?.status?.['conditions']).toEqual([
      expect.objectContaining({ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }),
    ]);
    expect(await plane.eventsOf()).toContainEqual(
      expect.stringMatching(/^ReplicaSet\/web Warning FailedCreate Error creating: pods "web-/),
    );
    await plane.respec(RS, 'web', { template: owner.spec?.template ?? {} });
    await plane.run(3_000);
    expect(await plane.pods()).toHaveLength(5);
    expect((await plane.read<Workload>(RS, 'web'))?.status?.['conditions']).toBeUndefined();
  });

  it('leaves an owner alone that is being deleted (W-50)', async () => {
    const plane = await withReplicaSet(2);
    await plane.change<Workload>(RS, 'web', (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['foregroundDeletion'],
      },
    }));
    for (const { metadata } of await plane.pods()) await plane.change('pods', metadata.name, () => 'delete');
    await plane.run(2_000);
    expect(await plane.pods()).toEqual([]);
  });

  it('creates 1,200 pods in looks of at most 500 (W-49)', async () => {
    const plane = await withReplicaSet(1_200);
    await plane.run(30_000);
    expect(await plane.pods()).toHaveLength(1_200);
    expect(plane.failures).toEqual([]);
  });

  it('the hourly resync finds what lost messages left (W-57)', async () => {
    const plane = await aWorkloadPlane();
    plane.set('stream', false);
    await plane.put('pods', anOwnedPod({ name: 'early' }));
    await plane.put(RS, aWorkload({ spec: { replicas: 2 } }));
    await plane.run(3_600_000);
    const pods = await plane.pods();
    expect(pods.filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0)).toHaveLength(2);
  });

  it('waits until all objects have their owner edges (W-58)', async () => {
    let isComplete = false;
    const plane = await aWorkloadPlane({
      invocation: (ports) => ({
        ...ports,
        ownerEdges: { ...ports.ownerEdges, areComplete: async () => isComplete },
      }),
    });
    await plane.put(RS, owner);
    await plane.run(20_000);
    expect(await plane.pods()).toEqual([]);
    isComplete = true;
    await plane.run(20_000);
    expect(await plane.pods()).toHaveLength(3);
  });

  it('takes over from a run that has died, after its lease (W-31, W-33)', async () => {
    const plane = await aWorkloadPlane();
    const dead = inTurn(plane.invoke(), 'uid-of-web', () => new Promise<never>(() => {}));
    void dead;
    await plane.run(100);
    await plane.put(RS, owner);
    await plane.run(TURN_LEASE_MS - 2_000);
    expect(await plane.pods()).toEqual([]);
    await plane.run(5_000);
    expect(await plane.pods()).toHaveLength(3);
  });
});
