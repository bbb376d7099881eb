import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { PersistentVolumeClaim } from '../../../../shared/kube/types/storage.ts';
import type { ControllerRevision, Workload } from '../../../../shared/kube/types/workloads.ts';
import { inTurn, TURN_LEASE_MS } from '../../../../shared/store/turns/owner-turns.ts';
import { anOwnedPod, aWorkload, referenceTo } from '../../../support/objects/workload-objects.ts';
import { aWorkloadPlane } from '../../../support/planes/workload-plane.ts';

const STS = 'statefulsets';
type Plane = Awaited<ReturnType<typeof aWorkloadPlane>>;

const aSet = (spec: Workload['spec'] = {}): Workload =>
  aWorkload({
    kind: 'StatefulSet',
    name: 'db',
    spec: {
      serviceName: 'db',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
  });

const withSet = async (spec: Workload['spec'] = {}): Promise<Plane> => {
  const plane = await aWorkloadPlane();
  await plane.put(STS, aSet(spec));
  await plane.run(2_000);
  return plane;
};

const names = async ({ pods }: Plane): Promise<readonly string[]> =>
  (await pods()).map(({ metadata }) => metadata.name);

/** Lets kubelets act until nothing changes any more, and returns the pods that were there after each round. */
const rounds = async (plane: Plane, count: number): Promise<readonly (readonly string[])[]> => {
  const seen: (readonly string[])[] = [];
  for (let round = 0; round < count; round += 1) {
    await plane.kubelets();
    await plane.run(2_000);
    seen.push(
      (await plane.pods()).map(
        ({ metadata }) => `${metadata.name}${metadata.deletionTimestamp === undefined ? '' : ' leaves'}`,
      ),
    );
  }
  return seen;
};

const image = (name: string) => ({
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: name }] } },
});

const revisions = async (plane: Plane) =>
  (await plane.list<ControllerRevision>('controllerrevisions')).map(({ revision }) => revision);

const status = async (plane: Plane) => (await plane.read<Workload>(STS, 'db'))?.status;

describe('the StatefulSet controller', () => {
  it('makes pods one after the other, each with its identity (W-130, W-132, W-140)', async () => {
    const plane = await withSet({ replicas: 3, ordinals: { start: 4 } });
    expect(await names(plane)).toEqual(['db-4']);
    expect(await rounds(plane, 3)).toEqual([
      ['db-4', 'db-5'],
      ['db-4', 'db-5', 'db-6'],
      ['db-4', 'db-5', 'db-6'],
    ]);
    const revision = (await plane.list('controllerrevisions'))[0]?.metadata.name;
    expect((await plane.pods())[1]).toMatchObject({
      metadata: {
        generateName: 'db-',
        labels: {
          app: 'web',
          'controller-revision-hash': revision,
          'statefulset.kubernetes.io/pod-name': 'db-5',
          'apps.kubernetes.io/pod-index': '5',
        },
        ownerReferences: [referenceTo(aSet())],
      },
      spec: { hostname: 'db-5', subdomain: 'db', serviceAccountName: 'default' },
    });
    expect(await status(plane)).toEqual({
      replicas: 3,
      availableReplicas: 3,
      readyReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      observedGeneration: 1,
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
    });
    expect(await plane.eventsOf()).toContain(
      'StatefulSet/db Normal SuccessfulCreate create Pod db-6 in StatefulSet db successful (statefulset-controller)',
    );
    expect(plane.failures).toEqual([]);
  });

  it('makes all pods at once where the policy is Parallel (W-141)', async () => {
    const plane = await withSet({ replicas: 9, podManagementPolicy: 'Parallel' });
    expect(await names(plane)).toHaveLength(9);
  });

  it('deletes from the greatest ordinal, one after the other (W-144)', async () => {
    const plane = await withSet({ replicas: 3 });
    await rounds(plane, 3);
    await plane.respec(STS, 'db', { replicas: 1 });
    await plane.run(2_000);
    expect(await rounds(plane, 3)).toEqual([['db-0', 'db-1 leaves'], ['db-0'], ['db-0']]);
    expect(await status(plane)).toMatchObject({ replicas: 1, observedGeneration: 2 });
  });

  it('replaces a pod that has failed; the successor has its name (W-142)', async () => {
    const plane = await withSet({ replicas: 1 });
    await rounds(plane, 1);
    const before = (await plane.pods())[0]?.metadata.uid;
    await plane.change<Pod>('pods', 'db-0', (pod) => ({ ...pod, status: { phase: 'Failed' } }));
    await plane.run(4_000);
    await plane.kubelets();
    await plane.run(4_000);
    const after = await plane.pods();
    expect(after.map(({ metadata }) => metadata.name)).toEqual(['db-0']);
    expect(after[0]?.metadata.uid).not.toBe(before);
  });

  it('makes no second pod of a name while the first one is leaving on a node that does not answer (W-143)', async () => {
    const plane = await withSet({ replicas: 2, podManagementPolicy: 'Parallel' });
    await rounds(plane, 1);
    const lost = (await plane.pods())[0]?.metadata.uid;
    await plane.change<Pod>('pods', 'db-0', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }));
    await plane.run(7_200_000);
    const pods = await plane.pods();
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(['db-0', 'db-1']);
    expect(pods[0]?.metadata.uid).toBe(lost);
    await plane.change('pods', 'db-0', () => 'delete');
    await plane.run(2_000);
    expect((await plane.pods())[0]?.metadata.uid).not.toBe(lost);
  });

  it('updates from the greatest ordinal and waits for each pod (W-145, W-148)', async () => {
    const plane = await withSet({ replicas: 2 });
    await rounds(plane, 2);
    await plane.respec(STS, 'db', image('img:2'));
    await plane.run(2_000);
    expect(await rounds(plane, 4)).toEqual([
      ['db-0', 'db-1'],
      ['db-0 leaves', 'db-1'],
      ['db-0', 'db-1'],
      ['db-0', 'db-1'],
    ]);
    const [first, second] = await plane.pods();
    expect([first, second].map((pod) => pod?.spec['containers'])).toEqual([
      [expect.objectContaining({ image: 'img:2' })],
      [expect.objectContaining({ image: 'img:2' })],
    ]);
    const { currentRevision, updateRevision } = (await status(plane)) ?? {};
    expect(currentRevision).toBe(updateRevision);
    expect(await revisions(plane)).toEqual(expect.arrayContaining([1, 2]));
  });

  it('leaves the pods below the partition at the old revision, also a new one (W-139, W-145)', async () => {
    const plane = await withSet({ replicas: 2 });
    await rounds(plane, 2);
    const partition = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } };
    await plane.respec(STS, 'db', { ...image('img:2'), ...partition });
    await plane.run(2_000);
    await rounds(plane, 3);
    await plane.change('pods', 'db-0', () => 'delete');
    await plane.run(2_000);
    await rounds(plane, 2);
    const images = (await plane.pods()).map(
      ({ spec }) => (spec['containers'] as readonly { image: string }[])[0]?.image,
    );
    expect(images).toEqual(['img:1', 'img:2']);
    expect(await status(plane)).toMatchObject({ currentReplicas: 1, updatedReplicas: 1 });
  });

  it('replaces nothing by itself where the strategy is OnDelete (W-145)', async () => {
    const plane = await withSet({ replicas: 1, updateStrategy: { type: 'OnDelete' } });
    await rounds(plane, 1);
    await plane.respec(STS, 'db', image('img:2'));
    await plane.run(2_000);
    expect(await rounds(plane, 1)).toEqual([['db-0']]);
    await plane.change('pods', 'db-0', () => 'delete');
    await plane.run(2_000);
    expect((await plane.pods())[0]?.spec['containers']).toEqual([
      expect.objectContaining({ image: 'img:2' }),
    ]);
  });

  it('goes back to an older revision by its number, and forgets revisions beyond the limit (W-105, W-107)', async () => {
    const plane = await withSet({ replicas: 1, revisionHistoryLimit: 1 });
    await rounds(plane, 1);
    for (const name of ['img:2', 'img:3', 'img:2']) {
      await plane.respec(STS, 'db', image(name));
      await plane.run(2_000);
      await rounds(plane, 3);
    }
    expect((await revisions(plane)).toSorted((a = 0, b = 0) => a - b)).toEqual([3, 4]);
    expect(plane.failures).toEqual([]);
  });

  const claimTemplates = {
    volumeClaimTemplates: [
      {
        metadata: { name: 'data', labels: { tier: 'db' } },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  };
  const claims = ({ list }: Plane) => list<PersistentVolumeClaim>('persistentvolumeclaims');

  it('makes the claims of a pod before it and keeps them (W-134, W-135)', async () => {
    const plane = await withSet({ replicas: 1, ...claimTemplates });
    expect(await claims(plane)).toEqual([
      expect.objectContaining({
        metadata: expect.objectContaining({ name: 'data-db-0', labels: { tier: 'db', app: 'web' } }),
        status: { phase: 'Pending' },
      }),
    ]);
    expect((await claims(plane))[0]?.metadata.ownerReferences).toBeUndefined();
    expect((await plane.pods())[0]?.spec['volumes']).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-db-0' },
    });
    expect(await plane.eventsOf()).toContain(
      'StatefulSet/db Normal SuccessfulCreate create Claim data-db-0 Pod db-0 in StatefulSet db success (statefulset-controller)',
    );
    const uid = (await claims(plane))[0]?.metadata.uid;
    await plane.respec(STS, 'db', { replicas: 0 });
    await plane.run(2_000);
    await rounds(plane, 2);
    await plane.respec(STS, 'db', { replicas: 1 });
    await plane.run(2_000);
    expect((await claims(plane)).map(({ metadata }) => metadata.uid)).toEqual([uid]);
  });

  it('a claim goes with its pod where whenScaled is Delete, and comes anew with the next one (W-136, W-137)', async () => {
    const retention = {
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
    };
    const plane = await withSet({ replicas: 2, ...claimTemplates, ...retention });
    await rounds(plane, 2);
    const before = new Map((await claims(plane)).map(({ metadata }) => [metadata.name, metadata.uid]));
    await plane.respec(STS, 'db', { replicas: 1 });
    await plane.run(2_000);
    await rounds(plane, 2);
    expect((await claims(plane)).map(({ metadata }) => metadata.name)).toEqual(['data-db-0']);
    await plane.respec(STS, 'db', { replicas: 2 });
    await plane.run(2_000);
    await rounds(plane, 2);
    const after = new Map((await claims(plane)).map(({ metadata }) => [metadata.name, metadata.uid]));
    expect(after.get('data-db-0')).toBe(before.get('data-db-0'));
    expect(after.get('data-db-1')).not.toBe(before.get('data-db-1'));
    expect(after.has('data-db-1')).toBe(true);
  });

  it('the StatefulSet owns claims where whenDeleted is Delete, and gives them up when that changes (W-136)', async () => {
    const policy = (whenDeleted: string) => ({
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted },
    });
    const plane = await withSet({ replicas: 1, ...claimTemplates, ...policy('Delete') });
    await rounds(plane, 1);
    expect((await claims(plane))[0]?.metadata.ownerReferences).toEqual([referenceTo(aSet())]);
    await plane.respec(STS, 'db', policy('Retain'));
    await plane.run(2_000);
    expect((await claims(plane))[0]?.metadata.ownerReferences).toBeUndefined();
  });

  it('waits for a claim that is being deleted, and says so (W-137)', async () => {
    const plane = await withSet({ replicas: 0, ...claimTemplates });
    await plane.put('persistentvolumeclaims', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: 'data-db-0',
        namespace: 'default',
        uid: 'old',
        finalizers: ['example.com/hold'],
        deletionTimestamp: '2026-01-01T00:00:00Z',
      },
    });
    await plane.respec(STS, 'db', { replicas: 1 });
    await plane.run(2_000);
    expect(await names(plane)).toEqual([]);
    expect(await plane.eventsOf()).toContain(
      'StatefulSet/db Warning FailedCreate create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted (statefulset-controller)',
    );
    await plane.change('persistentvolumeclaims', 'data-db-0', () => 'delete');
    await plane.run(20_000);
    expect(await names(plane)).toEqual(['db-0']);
  });

  it('says why a pod is refused, and tries again (W-146)', async () => {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { priorityClassName: 'missing', containers: [] },
    };
    const plane = await withSet({ replicas: 1, template });
    expect(await plane.eventsOf()).toContainEqual(
      expect.stringMatching(
        /^StatefulSet\/db Warning FailedCreate create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: no PriorityClass/,
      ),
    );
    await plane.put('priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'other' },
    });
    await plane.respec(STS, 'db', image('img:1'));
    await plane.run(10_000);
    expect(await names(plane)).toEqual(['db-0']);
  });

  it('adopts only pods that are called like its own, and releases others (W-138)', async () => {
    const plane = await aWorkloadPlane();
    for (const name of ['db-1', 'db-x', 'dbx-0', 'db-01']) await plane.put('pods', anOwnedPod({ name }));
    await plane.put('pods', anOwnedPod({ name: 'db-y', owner: aSet() }));
    await plane.put(STS, aSet({ replicas: 2 }));
    await plane.run(3_000);
    const owners = (await plane.pods()).map(({ metadata }) => [
      metadata.name,
      metadata.ownerReferences?.[0]?.name,
    ]);
    expect(Object.fromEntries(owners)).toEqual({
      'db-0': 'db',
      'db-1': 'db',
      'db-01': undefined,
      'db-x': undefined,
      'db-y': undefined,
      'dbx-0': undefined,
    });
    expect((await plane.read<Pod>('pods', 'db-1'))?.metadata.labels).toMatchObject({ app: 'web' });
  });

  it('counts a pod as available after minReadySeconds and goes on then, without any further event (W-140)', async () => {
    const plane = await withSet({ replicas: 2, minReadySeconds: 100 });
    await plane.kubelets();
    await plane.run(98_000);
    expect(await names(plane)).toEqual(['db-0']);
    await plane.run(5_000);
    expect(await names(plane)).toEqual(['db-0', 'db-1']);
  });

  it('does nothing but count while it is being deleted (W-146)', async () => {
    const plane = await withSet({ replicas: 2 });
    await plane.change<Workload>(STS, 'db', (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['foregroundDeletion'],
      },
    }));
    await plane.change('pods', 'db-0', () => 'delete');
    await plane.run(2_000);
    expect(await names(plane)).toEqual([]);
  });

  it('the hourly resync finds what lost messages left (W-149)', async () => {
    const plane = await aWorkloadPlane();
    plane.set('stream', false);
    await plane.put(STS, aSet({ replicas: 1 }));
    await plane.run(3_600_000);
    expect(await names(plane)).toEqual(['db-0']);
  });

  it('takes over from a run that has died, after its lease (W-31, W-33)', async () => {
    const plane = await aWorkloadPlane();
    void inTurn(plane.invoke(), 'uid-of-db', () => new Promise<never>(() => {}));
    await plane.run(100);
    await plane.put(STS, aSet({ replicas: 1 }));
    await plane.run(TURN_LEASE_MS - 2_000);
    expect(await names(plane)).toEqual([]);
    await plane.run(5_000);
    expect(await names(plane)).toEqual(['db-0']);
  });
});
