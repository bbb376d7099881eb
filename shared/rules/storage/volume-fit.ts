/** Why a claim cannot have a certain volume. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/types/storage.ts';
import { classNameOf, isFullyBound } from '../scheduling/pods/storage.ts';
import { isReservedFor } from './binding.ts';
import {
  hasOtherAttributes,
  hasOtherMode,
  includesAll,
  isReservedAndServes,
  isTooSmall,
  suits,
} from './volume-matching.ts';

/** Why the volume that the claim names does not fit it, in Kubernetes' words. Source: `checkVolumeSatisfyClaim`. */
export const misfitOf = (volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined => {
  const { metadata, spec } = volume;
  if (metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion "${metadata.name}"`;
  if (isTooSmall(volume, claim)) return 'requested PV is too small';
  if ((spec?.storageClassName ?? '') !== classNameOf(claim)) return 'storageClassName does not match';
  if (hasOtherAttributes(volume, claim)) return 'VolumeAttributesClassName does not match';
  if (hasOtherMode(volume, claim)) return 'incompatible volumeMode';
  return includesAll(spec?.accessModes, claim.spec?.accessModes) ? undefined : 'incompatible accessMode';
};

/** Whether a claim that names no volume gets the one that is reserved for it. Its class is not asked. Source: `FindMatchingVolume`. */
export const getsReserved = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  isReservedAndServes(volume, claim) && includesAll(volume.spec?.accessModes, claim.spec?.accessModes);

/** Whether the two, as they are, may be bound to each other. It is asked again right before each write. */
export const mayBind = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean => {
  const wanted = claim.spec?.volumeName ?? '';
  if (wanted !== '' && wanted !== volume.metadata.name) return false;
  if (volume.spec?.claimRef) return isReservedFor(volume, claim);
  if (isFullyBound(claim)) return true;
  return wanted === '' ? suits(volume, claim) : misfitOf(volume, claim) === undefined;
};
