/** What a node has to run and to end: its pods, each with the objects that it refers to. */

import { referencesOf } from '../../kinds/admission/pod-references.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/types/storage.ts';
import type { CapacityStore } from '../../ports/store/capacity.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import { type LiveRow, liveRow, type ObjectKey, volumeKey } from '../../ports/store/rows.ts';
import { runtimeClassNameOf } from '../../rules/pod-admission/runtime-class.ts';
import { isMirrorPod } from '../../rules/pods/mirror-pod.ts';
import { isTerminated } from '../../rules/pods/terminated-pods.ts';
import { isReservedFor } from '../../rules/storage/binding.ts';
import { inParallel } from '../../store/turns/in-parallel.ts';

/** Reads of single objects at the same time. */
const CONCURRENCY = 16;
/** Claims that are read at once. */
const CLAIMS = 50;

/** What is read for it. */
export interface WorkReads {
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly capacity: Pick<CapacityStore, 'claimsAfter'>;
}

/** The same, with what pods refer to. */
export interface ReferredReads extends WorkReads {
  /** Stores the object of this key if each namespace has one of that name, such as `kube-root-ca.crt`, and nobody has asked for it yet. */
  readonly bear: (key: ObjectKey) => Promise<void>;
}

/** A claim of the node, and its pod if that is one to run or to end. */
export interface ClaimedPod {
  readonly uid: string;
  readonly row?: LiveRow;
}

/**
 * The pods that are bound to the node, sorted by uid, without mirror pods: those the machine made itself. Claims list them consistently;
 * an index would lag. A claim may outlast its pod. `after`: only those whose uids follow.
 */
export const claimedPods = async function* (
  { objects, capacity }: WorkReads,
  node: string,
  after: string,
): AsyncGenerator<ClaimedPod> {
  let last = after;
  for (;;) {
    const claims = await capacity.claimsAfter(node, last, CLAIMS);
    const pods = await inParallel(claims, CONCURRENCY, async ({ uid, namespace, name }) => {
      const row = liveRow(await objects.read({ resource: 'pods', namespace, name }));
      const pod = row?.object as Pod | undefined;
      const isOwn = row?.uid === uid && pod?.spec.nodeName === node && !isMirrorPod(pod);
      return { uid, ...(isOwn ? { row } : {}) };
    });
    yield* pods;
    const next = claims.at(-1)?.uid;
    if (next === undefined || claims.length < CLAIMS) return;
    last = next;
  }
};

const bySortedName = (resource: string, namespace: string, names: ReadonlySet<string>) =>
  [...names].toSorted().map((name): ObjectKey => ({ resource, namespace, name }));

const classKeys = (pod: Pod): readonly ObjectKey[] => {
  const name = runtimeClassNameOf(pod) ?? '';
  return name === '' ? [] : [{ resource: 'runtimeclasses', namespace: '', name }];
};

/** The keys of the ConfigMaps, then of the Secrets, that the pod refers to, sorted by name, then of its RuntimeClass. A pod that has ended needs none. */
export const referredKeys = (pod: Pod): readonly ObjectKey[] => {
  if (isTerminated(pod)) return [];
  const { configMaps, secrets } = referencesOf(pod);
  const namespace = pod.metadata.namespace ?? '';
  return [
    ...bySortedName('configmaps', namespace, configMaps),
    ...bySortedName('secrets', namespace, secrets),
    ...classKeys(pod),
  ];
};

/** The key of the volume that the claim is bound to; a volume that names another claim is nobody's business. */
const boundVolumeKey = async ({ objects }: WorkReads, key: ObjectKey): Promise<ObjectKey | undefined> => {
  const claim: PersistentVolumeClaim | undefined = liveRow(await objects.read(key))?.object;
  const name = claim?.spec?.volumeName ?? '';
  if (!claim || name === '') return undefined;
  const volume: PersistentVolume | undefined = liveRow(await objects.read(volumeKey(name)))?.object;
  return volume && isReservedFor(volume, claim) ? volumeKey(name) : undefined;
};

/** The keys of the pod's claims, sorted by name, then those of the volumes that they are bound to. */
export const storageKeys = async (reads: WorkReads, pod: Pod): Promise<readonly ObjectKey[]> => {
  if (isTerminated(pod)) return [];
  const { claims } = referencesOf(pod);
  const keys = bySortedName('persistentvolumeclaims', pod.metadata.namespace ?? '', claims);
  const volumes = await inParallel(keys, CONCURRENCY, (key) => boundVolumeKey(reads, key));
  return [...keys, ...volumes.filter((key) => key !== undefined)];
};

/** The objects of these keys that are there, in their order. */
export const readObjects = async (
  { objects, bear }: ReferredReads,
  keys: readonly ObjectKey[],
): Promise<readonly LiveRow[]> => {
  const rows = await inParallel(keys, CONCURRENCY, async (key) => {
    const known = liveRow(await objects.read(key));
    if (known) return known;
    await bear(key);
    return liveRow(await objects.read(key));
  });
  return rows.filter((row) => row !== undefined);
};
