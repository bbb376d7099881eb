// Pods, and claims and volumes that wait for them, are made and deleted under races, crashes, stalls, lost and doubled messages and lost
// answers: at quiet every pod with a node has its volumes there, no volume serves two claims, and whoever waits is right to.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flush } from '../../../../lambdas/scheduler/reconcile.ts';
import { sweep } from '../../../../lambdas/volume-binder/reconcile.ts';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../shared/kube/types/storage.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { schedulingSpec } from '../../../../shared/rules/scheduling/pods/scheduling-spec.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { ignoreFaults } from '../../../support/faults/ignore-faults.ts';
import { oneOf } from '../../../support/faults/one-of.ts';
import { aClaim, aClass, aVolume } from '../../../support/objects/storage-objects.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';
import { all, keyOf } from '../../../support/planes/stored-objects.ts';

const NAMES = Array.from({ length: 6 }, (_, index) => `o${index}`);
const NODES = ['n1', 'n2', 'n3'];
const STEPS = 60;
const HOUR = 3_600_000;
/** Nobody beats here. */
const PATIENT = { nodeMonitorGracePeriodMs: HOUR, nodeStartupGracePeriodMs: HOUR };
const LOCAL = aClass('local', {
  provisioner: 'kubernetes.io/no-provisioner',
  volumeBindingMode: 'WaitForFirstConsumer',
});
const volumeOn = (name: string, node: string): PersistentVolume =>
  aVolume(
    name,
    {
      storageClassName: 'local',
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
        },
      },
    },
    { status: { phase: 'Pending' } },
  );

const podUsing = (name: string, claims: readonly string[]): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `p-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    containers: [{ name: 'c', image: 'i' }],
    volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  },
  status: { phase: 'Pending' },
});

const fresh = (chance: Chance, name: string): ApiObject => {
  const kind = chance.upTo(3);
  if (kind < 1) return volumeOn(name, oneOf(chance, NODES));
  if (kind < 2) return aClaim(name, { storageClassName: 'local' });
  return podUsing(name, [...new Set([name, chance.hit(0.3) ? oneOf(chance, NAMES) : name])]);
};

/** What a DELETE of the API makes of an object; a pod goes at once. */
const deleted = (object: ApiObject, now: number): ApiObject | 'delete' =>
  (object.metadata.finalizers ?? []).length === 0
    ? 'delete'
    : { ...object, metadata: { ...object.metadata, deletionTimestamp: toTime(now) } };

/** A user makes an object, or may delete the one of that name. */
const userStep = async (plane: ControlPlane, chance: Chance, count: number): Promise<void> => {
  const object = fresh(chance, oneOf(chance, NAMES));
  const goes = chance.hit(0.4);
  const next = { ...object, metadata: { ...object.metadata, uid: `${object.metadata.uid}-${count}` } };
  await createObjectWriter(plane.invoke()).write(keyOf(next), (row, now) => {
    const stored = liveRow(row)?.object;
    if (stored?.metadata.deletionTimestamp !== undefined) return undefined;
    if (stored && !goes) return undefined;
    return { next: stored ? deleted(stored, now) : next, writer: 'client' };
  });
};

const nodeOf = ({ spec }: PersistentVolume): unknown =>
  spec?.nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values?.[0];

interface World {
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
}

const claimsOf = (pod: Pod, { claims }: World): readonly (PersistentVolumeClaim | undefined)[] =>
  (schedulingSpec(pod).volumes ?? []).map((volume) =>
    claims.find(({ metadata }) => metadata.name === volume.persistentVolumeClaim?.claimName),
  );

const volumeOf = (claim: PersistentVolumeClaim | undefined, { volumes }: World) =>
  volumes.find(({ metadata }) => metadata.name === claim?.spec?.volumeName);

const checkPlaced = (pod: Pod, world: World): void => {
  for (const claim of claimsOf(pod, world)) {
    expect([pod.metadata.name, claim?.status?.phase]).toEqual([pod.metadata.name, 'Bound']);
    const volume = volumeOf(claim, world);
    expect(volume?.spec?.claimRef?.uid).toBe(claim?.metadata.uid);
    expect(volume && nodeOf(volume)).toBe(pod.spec.nodeName);
  }
};

/** Whether the volume that is reserved for the claim is on the node. */
const isServed = (claim: PersistentVolumeClaim, node: string, world: World): boolean => {
  const own = world.volumes.find(({ spec }) => spec?.claimRef?.uid === claim.metadata.uid);
  return own !== undefined && nodeOf(own) === node;
};

const isFree = ({ spec, status, metadata }: PersistentVolume): boolean =>
  spec?.claimRef === undefined && status?.phase === 'Available' && metadata.deletionTimestamp === undefined;

const fits = (pod: Pod, node: string, world: World): boolean => {
  const claims = claimsOf(pod, world);
  if (claims.some((claim) => !claim || claim.metadata.deletionTimestamp !== undefined)) return false;
  if (claims.some((claim) => claim?.status?.phase === 'Lost')) return false;
  const isReserved = (claim: PersistentVolumeClaim): boolean =>
    world.volumes.some(({ spec }) => spec?.claimRef?.uid === claim.metadata.uid);
  const open = claims.filter((claim) => claim && !isReserved(claim));
  const free = world.volumes.filter((volume) => isFree(volume) && nodeOf(volume) === node);
  const served = claims.every((claim) => !claim || !isReserved(claim) || isServed(claim, node, world));
  return served && open.length <= free.length;
};

const checkAll = (world: World): void => {
  const bound = world.claims.filter(({ status }) => status?.phase === 'Bound');
  expect(new Set(bound.map(({ spec }) => spec?.volumeName)).size).toBe(bound.length);
  for (const pod of world.pods) {
    if (pod.spec.nodeName) checkPlaced(pod, world);
    else
      expect([pod.metadata.name, NODES.filter((node) => fits(pod, node, world))]).toEqual([
        pod.metadata.name,
        [],
      ]);
  }
  const used = new Set(world.pods.filter(({ spec }) => spec.nodeName).flatMap((pod) => claimsOf(pod, world)));
  for (const claim of world.claims)
    if (claim.metadata.deletionTimestamp !== undefined) expect(used.has(claim)).toBe(true);
};

const prepare = async ({ writer }: ControlPlane): Promise<void> => {
  await writer.write(keyOf(LOCAL), () => ({ next: LOCAL, writer: 'client' }));
  for (const name of NODES)
    await writer.write(nodeKey(name), (_, now) => ({
      next: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, uid: `n-${name}`, creationTimestamp: toTime(now) },
        spec: {},
        status: {
          allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
          conditions: [{ type: 'Ready', status: 'True' }],
        },
      } as ApiObject,
      writer: 'client',
    }));
};

const live = async (seed: number): Promise<void> => {
  const { plane, chance, calm } = createBadDay(seed, BAD_DAY, PATIENT);
  await prepare(plane);
  const user = async (): Promise<void> => {
    for (let count = 0; count < STEPS; count += 1) {
      await plane.clock.sleep(chance.upTo(10_000));
      await userStep(plane, chance, count).catch(ignoreFaults);
    }
  };
  const done = user();
  await plane.run(700_000);
  await plane.clock.run(done);
  calm();
  await plane.run(60_000);
  await plane.clock.run(sweep(plane.invoke()));
  await plane.run(60_000);
  await plane.clock.run(flush(plane.invoke()));
  await plane.run(700_000);
  checkAll({
    pods: await all(plane, 'pods'),
    claims: await all(plane, 'persistentvolumeclaims'),
    volumes: await all(plane, 'persistentvolumes'),
  });
  expect(unexplained(plane.failures)).toEqual([]);
};

describe('claims that wait for their pods, on a bad day', () => {
  it('get volumes where the pods are (M-10, M-14, M-16, M-18, K-106)', async () => {
    await fc.assert(fc.asyncProperty(fc.integer(), live), { numRuns: 15 });
  }, 240_000);
});
