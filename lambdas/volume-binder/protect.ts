/** Removes claims and volumes that are being deleted and are not in use: takes their finalizers off. */
import type { Pod } from '../../shared/api/core.ts';
import type { PersistentVolume } from '../../shared/api/validation/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../../shared/api/validation/volume-claim.ts';
import { freed } from '../../shared/domain/owners/collect.ts';
import { withoutFinalizer } from '../../shared/domain/owners/garbage.ts';
import {
  CLAIM_PROTECTION,
  isLeaving,
  isVolumeUsed,
  usesClaim,
  VOLUME_PROTECTION,
} from '../../shared/domain/storage/protection.ts';
import { claimKey, liveRow, type ObjectKey, volumeKey } from '../../shared/ports/rows.ts';
import { createLister, type ListPosition } from '../../shared/state/lists.ts';
import type { BinderDeps } from './deps.ts';

/** Pods read together. */
const PAGE = 500;

/** Whether a pod uses the claim, by an exact list of the namespace's pods: one that was bound a moment ago is in it. */
const isUsed = async (deps: BinderDeps, claim: PersistentVolumeClaim): Promise<boolean> => {
  const { namespace = '' } = claim.metadata;
  const lister = createLister(deps);
  let continueAt: ListPosition | undefined;
  do {
    const place = continueAt ? { continueAt } : {};
    const page = await lister.list({ resource: 'pods', namespace, limit: PAGE, ...place });
    if (page.objects.some((pod) => usesClaim(pod as Pod, claim))) return true;
    continueAt = page.next;
  } while (continueAt);
  return false;
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
export const releaseClaim = async (deps: BinderDeps, claim: PersistentVolumeClaim): Promise<boolean> => {
  if (!isLeaving(claim, CLAIM_PROTECTION) || (await isUsed(deps, claim))) return false;
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
