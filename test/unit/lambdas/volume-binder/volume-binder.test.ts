import { describe, expect, it } from 'vitest';
import { telemetry } from '../../../../lambdas/volume-binder/metrics.ts';
import { reconcile } from '../../../../lambdas/volume-binder/reconcile.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../shared/kube/types/storage.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow, type ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { TURN_LEASE_MS } from '../../../../shared/store/turns/owner-turns.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { aClaim, aClass, aVolume, refTo } from '../../../support/objects/storage-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { eventsOf } from '../../../support/planes/fleet.ts';
import { keyOf, put, read, remove } from '../../../support/planes/stored-objects.ts';

const volumeOf = async (plane: ControlPlane, name: string): Promise<PersistentVolume | undefined> =>
  read(plane, aVolume(name));
const claimOf = async (plane: ControlPlane, name: string): Promise<PersistentVolumeClaim | undefined> =>
  read(plane, aClaim(name));

const phases = async (plane: ControlPlane, ...objects: readonly ApiObject[]) =>
  Promise.all(objects.map(async (object) => (await read<PersistentVolume>(plane, object))?.status?.phase));

const NEW = { status: { phase: 'Pending' } };

const aPlane = async (...objects: readonly ApiObject[]): Promise<ControlPlane> => {
  const plane = createMemoryControlPlane();
  await put(plane, ...objects);
  await plane.run(3_000);
  return plane;
};

describe('a claim', () => {
  it('is bound to the smallest volume that suits it (K-92, K-101)', async () => {
    const plane = await aPlane(
      aVolume('large', { capacity: { storage: '5Gi' } }, NEW),
      aVolume('small', { capacity: { storage: '500Mi' } }, NEW),
      aVolume('right', { capacity: { storage: '2Gi' } }, NEW),
      aClaim('data'),
    );
    expect(await claimOf(plane, 'data')).toMatchObject({
      metadata: {
        annotations: {
          'pv.kubernetes.io/bind-completed': 'yes',
          'pv.kubernetes.io/bound-by-controller': 'yes',
        },
      },
      spec: { volumeName: 'right' },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } },
    });
    expect(await volumeOf(plane, 'right')).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { claimRef: { apiVersion: 'v1', ...refTo('data') } },
      status: { phase: 'Bound' },
    });
    expect(await phases(plane, aVolume('large'), aVolume('small'))).toEqual(['Available', 'Available']);
    expect(plane.failures).toEqual([]);
  });

  it('waits until a volume comes, and is told so once (K-95)', async () => {
    const plane = await aPlane(aClaim('data'));
    await put(plane, aVolume('small', { capacity: { storage: '1Mi' } }, NEW));
    await plane.run(3_000);
    expect(eventsOf(plane)).toEqual([
      'FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ]);
    await put(plane, aVolume('v', {}, NEW));
    await plane.run(3_000);
    expect(await phases(plane, aClaim('data'), aVolume('v'))).toEqual(['Bound', 'Bound']);
  });

  it('gets the default class when there is one, also later (K-94)', async () => {
    const { storageClassName: _none, ...spec } = aClaim('data').spec ?? {};
    const unclassed: PersistentVolumeClaim = { ...aClaim('data'), spec };
    const plane = await aPlane(unclassed);
    await put(
      plane,
      aClass('fast', {
        metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      }),
    );
    await plane.run(3_000);
    expect(await claimOf(plane, 'data')).toMatchObject({
      metadata: { annotations: { 'volume.kubernetes.io/storage-provisioner': 'csi.example.com' } },
      spec: { storageClassName: 'fast' },
      status: { phase: 'Pending' },
    });
  });

  it('is bound to the volume that a provisioner makes for it (K-96)', async () => {
    const plane = await aPlane(aClass('fast'), aClaim('data', { storageClassName: 'fast' }));
    expect(eventsOf(plane)[0]).toContain("by the external provisioner 'csi.example.com' or manually");
    await put(plane, aVolume('pvc-1', { storageClassName: 'fast', claimRef: refTo('data') }, NEW));
    await plane.run(3_000);
    expect(await claimOf(plane, 'data')).toMatchObject({
      spec: { volumeName: 'pvc-1' },
      status: { phase: 'Bound' },
    });
    expect((await volumeOf(plane, 'pvc-1'))?.metadata.annotations).toBeUndefined();
  });

  it('is lost when its volume is gone (K-98)', async () => {
    const plane = await aPlane(aVolume('v', {}, NEW), aClaim('data'));
    await remove(plane, aVolume('v'));
    await plane.run(3_000);
    expect(await claimOf(plane, 'data')).toMatchObject({ status: { phase: 'Lost' } });
    expect(eventsOf(plane)).toEqual([
      'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ]);
  });

  it('has one volume although a run died between the two writes (K-102)', async () => {
    const plane = await aPlane();
    await put(
      plane,
      aVolume(
        'v',
        { claimRef: refTo('data') },
        {
          status: { phase: 'Bound' },
          metadata: { name: 'v', uid: 'v-v', annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
        },
      ),
      aVolume('w'),
      aClaim('data'),
    );
    await plane.run(3_000);
    expect(await claimOf(plane, 'data')).toMatchObject({ spec: { volumeName: 'v' } });
    expect(await phases(plane, aVolume('v'), aVolume('w'))).toEqual(['Bound', 'Available']);
  });

  it.each([0, 1, 300, 700, 999])(
    'is bound although a run died in its turn %d ms before (W-34)',
    async (ms) => {
      const plane = await aPlane();
      const { clock, state } = plane;
      await state.ownerTurns.begin('volume-binder', 'a run that died', clock.now(), TURN_LEASE_MS);
      await plane.run(ms);
      await put(plane, aVolume('v', {}, NEW), aClaim('data'));
      await plane.run(TURN_LEASE_MS + 5_000);
      expect(await phases(plane, aVolume('v'), aClaim('data'))).toEqual(['Bound', 'Bound']);
    },
  );
});

describe('a volume', () => {
  it('is released when its claim is gone, and is not given to the next one of that name (K-100)', async () => {
    const plane = await aPlane(aVolume('v', {}, NEW), aClaim('data'));
    await remove(plane, aClaim('data'));
    await put(plane, { ...aClaim('data'), metadata: { ...aClaim('data').metadata, uid: 'c-2' } });
    await plane.run(3_000);
    expect(await phases(plane, aVolume('v'), aClaim('data'))).toEqual(['Released', 'Pending']);
    expect(await volumeOf(plane, 'v')).toMatchObject({ spec: { claimRef: { uid: 'c-data' } } });
  });

  it('fails where it should be deleted and no driver does it (K-103)', async () => {
    const plane = await aPlane(
      aVolume('v', { persistentVolumeReclaimPolicy: 'Delete', csi: {} }, NEW),
      aClaim('data'),
    );
    await remove(plane, aClaim('data'));
    await plane.run(3_000);
    const message = 'error getting deleter volume plugin for volume "v": no volume plugin matched';
    expect(await volumeOf(plane, 'v')).toMatchObject({ status: { phase: 'Failed', message } });
    expect(eventsOf(plane)).toEqual([`VolumeFailedDelete: ${message}`]);
  });

  it('is taken from a claim that has another one (K-99)', async () => {
    const plane = await aPlane(aVolume('v', {}, NEW), aClaim('data'));
    await put(
      plane,
      aVolume(
        'w',
        { claimRef: refTo('data') },
        { metadata: { name: 'w', annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } } },
      ),
    );
    await plane.run(3_000);
    expect(await phases(plane, aVolume('v'), aVolume('w'))).toEqual(['Bound', 'Available']);
    expect((await volumeOf(plane, 'w'))?.spec?.claimRef).toBeUndefined();
  });
});

describe('the binder', () => {
  it('binds each claim of many once, and does nothing more (K-101, K-104)', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `o${index}`);
    const plane = await aPlane(
      ...names.map((name) => aVolume(name, {}, NEW)),
      ...names.map((name) => aClaim(name)),
    );
    await plane.run(30_000);
    const volumes = await Promise.all(
      names.map(async (name) => (await claimOf(plane, name))?.spec?.volumeName),
    );
    expect(new Set(volumes).size).toBe(300);
    const { length } = plane.commits;
    await plane.run(7_200_000);
    expect(plane.commits.slice(length)).toEqual([]);
  });

  it('finds by its sweep what messages did not say (K-104)', async () => {
    const plane = await aPlane();
    plane.set('volume-binder', false);
    await put(plane, aVolume('v', {}, NEW), aClaim('data'));
    await plane.run(1_000);
    plane.set('volume-binder', true);
    await plane.run(3_600_000);
    expect(await phases(plane, aClaim('data'), aVolume('v'))).toEqual(['Bound', 'Bound']);
  });

  it('counts what is bound, and what could not be looked at', async () => {
    const plane = await aPlane(aVolume('v', {}, NEW), aClaim('data'), aClaim('more'));
    const report = await plane.clock.run(reconcile(plane.invoke(), { v: 1, kind: 'change' }));
    const values = telemetry.metricsOf(report).map(({ metric, samples }) => [metric.name, samples]);
    expect(Object.fromEntries(values)).toMatchObject({
      bound_pv_count: [{ value: 1, labels: { storage_class: '' } }],
      unbound_pvc_count: [{ value: 1, labels: { namespace: 'default' } }],
      bindings_total: [{ value: 0 }],
    });
    expect(telemetry.linesOf({ ...report, errors: [new Error('x')] })).toHaveLength(1);
  });
});

describe('what is being deleted', () => {
  const going = async (plane: ControlPlane, object: ApiObject): Promise<void> => {
    await plane.writer.write(keyOf(object), (row, now) => {
      const stored = liveRow(row)?.object as ApiObject;
      const next = { ...stored, metadata: { ...stored.metadata, deletionTimestamp: toTime(now) } };
      return { next, writer: 'client' };
    });
  };
  const aUser = (name: string, nodeName = 'n1') => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `u-${name}` },
    spec: {
      ...(nodeName === '' ? { schedulerName: 'nobody' } : { nodeName }),
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'x', persistentVolumeClaim: { claimName: 'data' } }],
    },
    status: { phase: 'Running' },
  });
  const podKey = (name: string): ObjectKey => ({ resource: 'pods', namespace: 'default', name });
  const putPod = async ({ writer }: ControlPlane, pod: ReturnType<typeof aUser>): Promise<void> => {
    await writer.write(podKey(pod.metadata.name), () => ({ next: pod, writer: 'client' }));
  };

  it('stays while a pod on a node uses it, and so does its volume (K-106, K-107)', async () => {
    const plane = await aPlane(aVolume('v'), aClaim('data'));
    for (const name of ['n1', 'n2']) await putPod(plane, aUser(`on-${name}`, name));
    await putPod(plane, aUser('waits', ''));
    await going(plane, aClaim('data'));
    await going(plane, aVolume('v'));
    await plane.run(3_000);
    expect(await phases(plane, aClaim('data'), aVolume('v'))).toEqual(['Bound', 'Bound']);
    await plane.writer.write(podKey('on-n1'), () => ({ next: 'delete', writer: 'client' }));
    await plane.run(3_000);
    expect(await claimOf(plane, 'data')).toBeDefined();
    await plane.writer.write(podKey('on-n2'), () => ({ next: 'delete', writer: 'client' }));
    await plane.run(5_000);
    expect([await claimOf(plane, 'data'), await volumeOf(plane, 'v')]).toEqual([undefined, undefined]);
    expect(plane.failures).toEqual([]);
  });

  it('goes at once if nothing uses it, unless others hold it (K-106)', async () => {
    const held = ['example.org/mine', 'kubernetes.io/pv-protection'];
    const plane = await aPlane(
      aVolume('w', {}, { metadata: { name: 'w', uid: 'v-w', finalizers: held } }),
      aClaim('data', { storageClassName: 'none' }),
    );
    await going(plane, aClaim('data'));
    await going(plane, aVolume('w'));
    await plane.run(3_000);
    expect(await claimOf(plane, 'data')).toBeUndefined();
    expect((await volumeOf(plane, 'w'))?.metadata.finalizers).toEqual(['example.org/mine']);
  });

  it('is found by the sweep, if the message about a pod was lost (K-106)', async () => {
    const plane = await aPlane(aVolume('v'), aClaim('data'));
    await putPod(plane, aUser('p'));
    await going(plane, aClaim('data'));
    await plane.run(3_000);
    plane.set('volume-binder', false);
    await plane.writer.write(podKey('p'), () => ({ next: 'delete', writer: 'client' }));
    await plane.run(3_000);
    expect(await claimOf(plane, 'data')).toBeDefined();
    plane.set('volume-binder', true);
    await plane.run(3_700_000);
    expect(await claimOf(plane, 'data')).toBeUndefined();
  });

  it('has its finalizer, also if it was made without one (K-105)', async () => {
    const bare = { finalizers: [] };
    const plane = await aPlane(
      aVolume('v', {}, { metadata: { name: 'v', uid: 'v-v', ...bare } }),
      aVolume('w', { storageClassName: 'x' }, { metadata: { name: 'w', uid: 'v-w', ...bare } }),
      aClaim('data', {}, { metadata: { name: 'data', namespace: 'default', uid: 'c-data', ...bare } }),
      aClaim(
        'more',
        { storageClassName: 'y' },
        { metadata: { name: 'more', namespace: 'default', uid: 'c-more', ...bare } },
      ),
    );
    for (const name of ['v', 'w'])
      expect((await volumeOf(plane, name))?.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
    for (const name of ['data', 'more'])
      expect((await claimOf(plane, name))?.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
  });
});
