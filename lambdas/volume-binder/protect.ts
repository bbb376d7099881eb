/** Removes claims and volumes that are being deleted and are not in use: takes their finalizers off. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../shared/kube/types/storage.ts';
import { claimKey, liveRow, type ObjectKey, volumeKey } from '../../shared/ports/store/rows.ts';
import { freed } from '../../shared/rules/owners/collect.ts';
import { withoutFinalizer } from '../../shared/rules/owners/garbage.ts';
import { schedulingSpec } from '../../shared/rules/scheduling/pods/scheduling-spec.ts';
import { claimNameOf } from '../../shared/rules/scheduling/pods/storage.ts';
import {
  CLAIM_PROTECTION,
  isLeaving,
  isVolumeUsed,
  usesClaim,
  VOLUME_PROTECTION,
} from '../../shared/rules/storage/protection.ts';
import { createLister, type ListPosition } from '../../shared/store/lists/lists.ts';
import type { BinderDeps } from './deps.ts';

/** Pods read together. */
const PAGE = 500;

type Claims = ReadonlyMap<string, PersistentVolumeClaim>;

const noteUse = (pod: Pod, leaving: Claims, used: Set<string>): void => {
  for (const volume of schedulingSpec(pod).volumes ?? []) {
    const claim = leaving.get(claimNameOf(volume, pod.metadata.name) ?? '');
    if (claim && usesClaim(pod, claim)) used.add(claim.metadata.name);
  }
};

/** Names of those of the claims that a pod uses, by an exact list of the namespace's pods: one that was bound a moment ago is in it. */
const readUsed = async (
  deps: BinderDeps,
  namespace: string,
  leaving: Claims,
): Promise<ReadonlySet<string>> => {
  const used = new Set<string>();
  const lister = createLister(deps);
  let continueAt: ListPosition | undefined;
  do {
    const place = continueAt ? { continueAt } : {};
    const page = await lister.list({ resource: 'pods', namespace, limit: PAGE, ...place });
    for (const pod of page.objects) noteUse(pod as Pod, leaving, used);
    continueAt = page.next;
  } while (continueAt && used.size < leaving.size);
  return used;
};

/** Whether a pod uses the claim, which is one of those that were given. */
export type IsUsed = (claim: PersistentVolumeClaim) => Promise<boolean>;

/** Tells which of some claims that are being deleted are in use. The pods of a namespace are listed once, when the first claim there is asked about. */
export const createUses = (deps: BinderDeps, leaving: readonly PersistentVolumeClaim[]): IsUsed => {
  const lists = new Map<string, Promise<ReadonlySet<string>>>();
  const list = (namespace: string): Promise<ReadonlySet<string>> => {
    const local = leaving.filter(({ metadata }) => metadata.namespace === namespace);
    return readUsed(deps, namespace, new Map(local.map((claim) => [claim.metadata.name, claim])));
  };
  return async ({ metadata: { namespace = '', name } }) => {
    const listed = lists.get(namespace) ?? list(namespace);
    lists.set(namespace, listed);
    return (await listed).has(name);
  };
};

/** Resolves to whether the finalizer was taken off. */
const release = async (
  { writer }: BinderDeps,
  key: ObjectKey,
  { metadata: { uid } }: PersistentVolume | PersistentVolumeClaim,
  finalizer: string,
  isFree: (stored: PersistentVolume | PersistentVolumeClaim) => boolean,
): Promise<boolean> => {
  const { outcome } = await writer.write(key, (found) => {
    const row = liveRow(found);
    if (!row || row.uid !== uid || !isLeaving(row.object, finalizer) || !isFree(row.object)) return undefined;
    return { ...freed(key.resource, withoutFinalizer(row.object, finalizer)), writer: 'controller' };
  });
  return outcome === 'written';
};

/** Lets the claim go if no pod uses it. Resolves to whether it did. */
export const releaseClaim = async (
  deps: BinderDeps,
  claim: PersistentVolumeClaim,
  isUsed: IsUsed,
): Promise<boolean> => {
  if (await isUsed(claim)) return false;
  const { namespace, name } = claim.metadata;
  return release(deps, claimKey(namespace, name), claim, CLAIM_PROTECTION, () => true);
};

/** Lets the volume go if no claim is bound to it. Resolves to whether it did. */
export const releaseVolume = async (deps: BinderDeps, volume: PersistentVolume): Promise<boolean> => {
  if (!isLeaving(volume, VOLUME_PROTECTION) || isVolumeUsed(volume)) return false;
  return release(
    deps,
    volumeKey(volume.metadata.name),
    volume,
    VOLUME_PROTECTION,
    (stored) => !isVolumeUsed(stored),
  );
};
