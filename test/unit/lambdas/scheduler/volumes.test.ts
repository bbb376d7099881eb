/** Pods whose claims wait for them: the scheduler chooses volumes, or a node for a provisioner, and then binds the pod. */
import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/scheduler/reconcile.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../shared/kube/types/storage.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { aClaim, aClass, aVolume, refTo } from '../../../support/objects/storage-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { eventsOf } from '../../../support/planes/fleet.ts';
import { keyOf, put, read } from '../../../support/planes/stored-objects.ts';
import { addNode, addPod, deletePod, endSweep, nodesOf, readPod } from './cluster.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const LATE = { volumeBindingMode: 'WaitForFirstConsumer' } as const;
const LOCAL = aClass('local', { ...LATE, provisioner: 'kubernetes.io/no-provisioner' });
const MADE = aClass('made', LATE);
const SELECTED = 'volume.kubernetes.io/selected-node';
const NOTHING = "node(s) didn't find available persistent volumes to bind";

const claimIn = (plane: ControlPlane, name: string): Promise<PersistentVolumeClaim | undefined> =>
  read(plane, aClaim(name));
const volumeIn = (plane: ControlPlane, name: string): Promise<PersistentVolume | undefined> =>
  read(plane, aVolume(name));

const onNode = (name: string, ...nodes: readonly string[]): PersistentVolume =>
  aVolume(name, {
    storageClassName: 'local',
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [...nodes] }] }],
      },
    },
  });
const localClaim = (name: string): PersistentVolumeClaim => aClaim(name, { storageClassName: 'local' });
const madeClaim = (name: string): PersistentVolumeClaim => aClaim(name, { storageClassName: 'made' });
const using = (...claims: readonly string[]) => ({
  spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
});

const change = async (plane: ControlPlane, name: string, by: (claim: PersistentVolumeClaim) => ApiObject) =>
  plane.writer.write(keyOf(aClaim(name)), (row) => ({
    next: by(liveRow(row)?.object as PersistentVolumeClaim),
    writer: 'client',
  }));

/** What an external provisioner does. */
const provision = (plane: ControlPlane, name: string): Promise<void> =>
  put(plane, aVolume(`pv-${name}`, { storageClassName: 'made', claimRef: refTo(name) }));

/** Nobody beats here. */
const PATIENT = { nodeMonitorGracePeriodMs: 60 * MINUTE, nodeStartupGracePeriodMs: 60 * MINUTE };

const aPlane = async (...objects: readonly ApiObject[]): Promise<ControlPlane> => {
  const plane = createMemoryControlPlane({ config: PATIENT });
  for (const name of ['n1', 'n2', 'n3']) await addNode(plane, name);
  await put(plane, LOCAL, MADE, ...objects);
  await plane.run(2 * SECOND);
  return plane;
};

const failuresOf = (plane: ControlPlane): readonly string[] =>
  eventsOf(plane).filter((event) => event.startsWith('FailedScheduling'));

const bindingFailed = (why: string): string =>
  `FailedScheduling: running PreBind plugin "VolumeBinding": binding volumes: ${why}`;

describe('a pod whose claim waits for it', () => {
  it('gets the smallest volume that a node can use, and runs there when it is bound (M-10, M-12, M-15)', async () => {
    const large = aVolume('large', { ...onNode('large', 'n1').spec, capacity: { storage: '5Gi' } });
    const plane = await aPlane(large, onNode('small', 'n2'), localClaim('data'));
    await addPod(plane, 'p', using('data'));
    await plane.run(5 * SECOND);
    const [node = ''] = await nodesOf(plane, 'p');
    const chosen = node === 'n1' ? 'large' : 'small';
    expect(['n1', 'n2']).toContain(node);
    expect(await volumeIn(plane, chosen)).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { claimRef: { name: 'data', uid: 'c-data' } },
      status: { phase: 'Bound' },
    });
    expect(await claimIn(plane, 'data')).toMatchObject({
      spec: { volumeName: chosen },
      status: { phase: 'Bound' },
    });
    expect(await readPod(plane, 'p')).not.toHaveProperty('status.nominatedNodeName');
    expect(failuresOf(plane)).toEqual([]);
    expect(plane.failures).toEqual([]);
  });

  it('has a provisioner make one for its node, and is bound when that is bound (M-11, M-13, M-15)', async () => {
    const plane = await aPlane(madeClaim('data'));
    await addPod(plane, 'p', using('data'));
    await plane.run(30 * SECOND);
    const selected = (await claimIn(plane, 'data'))?.metadata.annotations?.[SELECTED] ?? '';
    expect(['n1', 'n2', 'n3']).toContain(selected);
    expect(await nodesOf(plane, 'p')).toEqual(['']);
    expect(await readPod(plane, 'p')).toMatchObject({ status: { nominatedNodeName: selected } });
    await provision(plane, 'data');
    await plane.run(5 * SECOND);
    expect(await nodesOf(plane, 'p')).toEqual([selected]);
    expect(failuresOf(plane)).toEqual([]);
  });

  it('waits for all of its claims, of both kinds (M-15)', async () => {
    const plane = await aPlane(onNode('v', 'n3'), localClaim('here'), madeClaim('data'));
    await addPod(plane, 'p', using('here', 'data'));
    await plane.run(30 * SECOND);
    expect((await claimIn(plane, 'data'))?.metadata.annotations).toMatchObject({ [SELECTED]: 'n3' });
    expect(await claimIn(plane, 'here')).toMatchObject({ status: { phase: 'Bound' } });
    expect(await nodesOf(plane, 'p')).toEqual(['']);
    await provision(plane, 'data');
    await plane.run(5 * SECOND);
    expect(await nodesOf(plane, 'p')).toEqual(['n3']);
  });

  it('keeps its room meanwhile (M-14)', async () => {
    const plane = await aPlane(onNode('v', 'n1'), localClaim('here'), madeClaim('data'));
    await addPod(plane, 'p', { cpu: '3', ...using('here', 'data') });
    await plane.run(30 * SECOND);
    for (const name of ['a', 'b', 'c']) await addPod(plane, name, { cpu: '3' });
    await plane.run(10 * SECOND);
    expect((await nodesOf(plane, 'a', 'b', 'c')).toSorted()).toEqual(['', 'n2', 'n3']);
    await provision(plane, 'data');
    await plane.run(5 * SECOND);
    expect(await nodesOf(plane, 'p')).toEqual(['n1']);
  });

  it('does not get the volume that another pod gets at the same time (M-14)', async () => {
    const plane = await aPlane(onNode('v', 'n1'), localClaim('one'), localClaim('two'));
    await addPod(plane, 'p', using('one'));
    await addPod(plane, 'q', using('two'));
    await plane.run(5 * SECOND);
    const nodes = await nodesOf(plane, 'p', 'q');
    expect(nodes.toSorted()).toEqual(['', 'n1']);
    expect(failuresOf(plane)).toEqual([expect.stringContaining(`3 ${NOTHING}`)]);
    await put(plane, onNode('w', 'n2'));
    await plane.run(15 * SECOND);
    expect((await nodesOf(plane, 'p', 'q')).toSorted()).toEqual(['n1', 'n2']);
    expect(plane.failures).toEqual([]);
  });

  it('shares the volume with other pods of the claim (M-14)', async () => {
    const plane = await aPlane(onNode('v', 'n2'), localClaim('data'));
    for (const name of ['p', 'q', 'r']) await addPod(plane, name, using('data'));
    await plane.run(5 * SECOND);
    expect(await nodesOf(plane, 'p', 'q', 'r')).toEqual(['n2', 'n2', 'n2']);
  });

  it('goes on with what another process has written before it died (M-12, M-16)', async () => {
    const reserved = onNode('v2', 'n2');
    const plane = await aPlane(onNode('v1', 'n1'), localClaim('data'), localClaim('more'));
    await put(plane, aVolume('v2', { ...reserved.spec, claimRef: refTo('data') }), onNode('v3', 'n2'));
    await addPod(plane, 'p', using('data', 'more'));
    await plane.run(5 * SECOND);
    expect(await nodesOf(plane, 'p')).toEqual(['n2']);
    expect(await claimIn(plane, 'data')).toMatchObject({ spec: { volumeName: 'v2' } });
    expect(await claimIn(plane, 'more')).toMatchObject({ spec: { volumeName: 'v3' } });
    expect((await volumeIn(plane, 'v1'))?.spec?.claimRef).toBeUndefined();
  });

  it('is bound by a process that has not chosen its volume (M-16)', async () => {
    const plane = await aPlane(madeClaim('data'));
    await addPod(plane, 'p', using('data'));
    await plane.run(30 * SECOND);
    plane.set('scheduler', false);
    await provision(plane, 'data');
    await plane.run(5 * SECOND);
    await endSweep(plane);
    const ports = plane.invoke();
    const objects: ObjectStore = { ...ports.objects };
    await reconcile({ ...ports, objects }, { v: 1, kind: 'change' });
    const selected = (await claimIn(plane, 'data'))?.metadata.annotations?.[SELECTED] ?? '';
    expect(await nodesOf(plane, 'p')).toEqual([selected]);
  });
});

describe('a pod whose claims are bound', () => {
  it.each([
    ['is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
    ['is a new one of that name', { uid: 'c-other', annotations: {} }],
  ])(
    'is not bound if one of them %s, although the scheduler has not heard of it (M-18)',
    async (_, given) => {
      const plane = await aPlane(onNode('v', 'n1'), localClaim('data'));
      await addPod(plane, 'first', using('data'));
      await plane.run(5 * SECOND);
      await endSweep(plane);
      const ports = plane.invoke();
      const silent = async (claim: PersistentVolumeClaim): Promise<ApiObject> => ({
        ...claim,
        metadata: { ...claim.metadata, ...given },
      });
      const stored = await silent((await claimIn(plane, 'data')) as PersistentVolumeClaim);
      let isTold = false;
      const objects: ObjectStore = {
        ...ports.objects,
        read: async (key) => {
          if (key.resource === 'persistentvolumeclaims' && !isTold) {
            isTold = true;
            await put(plane, stored);
          }
          return ports.objects.read(key);
        },
      };
      plane.set('scheduler', false);
      plane.set('volume-binder', false);
      await addPod(plane, 'p', using('data'));
      await plane.clock.run(reconcile({ ...ports, objects }, { v: 1, kind: 'change' }));
      expect(isTold).toBe(true);
      expect(await nodesOf(plane, 'p')).toEqual(['']);
    },
  );
});

describe('a pod whose volumes are not bound', () => {
  it('is told after ten minutes, gives its room back, and tries again (M-17)', async () => {
    const plane = await aPlane(madeClaim('data'));
    await addPod(plane, 'p', using('data'));
    await plane.run(9 * MINUTE);
    expect(failuresOf(plane)).toEqual([]);
    await plane.run(MINUTE + 10 * SECOND);
    expect(failuresOf(plane)).toEqual([bindingFailed('context deadline exceeded')]);
    expect(await readPod(plane, 'p')).toMatchObject({
      status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulerError' }] },
    });
    await provision(plane, 'data');
    await plane.run(5 * SECOND);
    expect(await nodesOf(plane, 'p')).not.toEqual(['']);
  });

  it('is placed anew when the provisioner gives up for its node (M-17)', async () => {
    const plane = await aPlane(madeClaim('data'));
    await addPod(plane, 'p', using('data'));
    await plane.run(30 * SECOND);
    const selected = (await claimIn(plane, 'data'))?.metadata.annotations?.[SELECTED] ?? '';
    await plane.writer.write(nodeKey(selected), (row) => {
      const node = liveRow(row)?.object as ApiObject;
      return { next: { ...node, spec: { unschedulable: true } } as ApiObject, writer: 'client' };
    });
    await change(plane, 'data', (claim) => ({
      ...claim,
      metadata: { ...claim.metadata, annotations: {} },
    }));
    await plane.run(10 * SECOND);
    expect(failuresOf(plane)).toEqual([bindingFailed('provisioning failed for PVC "data"')]);
    const next = (await claimIn(plane, 'data'))?.metadata.annotations?.[SELECTED];
    expect(next).not.toBe(selected);
    await provision(plane, 'data');
    await plane.run(5 * SECOND);
    expect(await nodesOf(plane, 'p')).toEqual([next]);
  });

  it('says that the claim is gone, and why it fits nowhere (M-17, F-12)', async () => {
    const plane = await aPlane(madeClaim('data'));
    await addPod(plane, 'p', using('data'));
    await plane.run(30 * SECOND);
    await plane.writer.write(keyOf(aClaim('data')), () => ({ next: 'delete', writer: 'client' }));
    await plane.run(15 * SECOND);
    expect(failuresOf(plane)).toEqual([
      bindingFailed('failed to check provisioning pvc: object not found'),
      'FailedScheduling: 0/3 nodes are available: persistentvolumeclaim "data" not found. not found',
    ]);
    expect(await readPod(plane, 'p')).not.toHaveProperty('status.nominatedNodeName');
  });

  it('is forgotten when it is deleted', async () => {
    const plane = await aPlane(madeClaim('data'));
    await addPod(plane, 'p', { cpu: '3', ...using('data') });
    await plane.run(30 * SECOND);
    await deletePod(plane, 'p');
    for (const name of ['a', 'b', 'c']) await addPod(plane, name, { cpu: '3' });
    await plane.run(5 * SECOND);
    expect((await nodesOf(plane, 'a', 'b', 'c')).toSorted()).toEqual(['n1', 'n2', 'n3']);
    expect(plane.failures).toEqual([]);
  });
});
