/**
 * Finalizers that keep claims and volumes that are in use from being removed. Source: kubernetes v1.34 admission plugin
 * `storageobjectinuseprotection`, pkg/controller/volume/pvcprotection and pvprotection.
 */
import type { Pod } from '../../kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/types/storage.ts';
import { schedulingSpec } from '../scheduling/pods/scheduling-spec.ts';
import { claimNameOf, isOwnedBy } from '../scheduling/pods/storage.ts';

const FINALIZERS = {
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
  PersistentVolume: 'kubernetes.io/pv-protection',
} as const;

type Stored = PersistentVolume | PersistentVolumeClaim;

/** The finalizer of claims. */
export const CLAIM_PROTECTION = FINALIZERS.PersistentVolumeClaim;
/** The finalizer of volumes. */
export const VOLUME_PROTECTION = FINALIZERS.PersistentVolume;

/** The object with the finalizer; the same one if it has it, or is being deleted. */
export const withProtection = <T extends Stored>(object: T, finalizer: string): T => {
  const { metadata } = object;
  const { finalizers = [], deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...metadata, finalizers: [...finalizers, finalizer] } };
};

/** Whether only its use may keep the object, because it is being deleted. */
export const isLeaving = ({ metadata }: Stored, finalizer: string): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;

/** Whether a claim is bound to the volume. */
export const isVolumeUsed = ({ status }: PersistentVolume): boolean => status?.phase === 'Bound';

/** The node has ended the pod: only finalizers hold it, perhaps because its own claims do. */
export const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

/** Whether the pod uses the claim: it has a node. One that waits for a node does not get one before the claim is gone. */
export const usesClaim = (pod: Pod, claim: PersistentVolumeClaim): boolean =>
  !!pod.spec.nodeName &&
  pod.metadata.namespace === claim.metadata.namespace &&
  (schedulingSpec(pod).volumes ?? []).some((volume) => {
    if (claimNameOf(volume, pod.metadata.name) !== claim.metadata.name) return false;
    return volume.persistentVolumeClaim !== undefined || (!isShutDown(pod) && isOwnedBy(claim, pod));
  });
