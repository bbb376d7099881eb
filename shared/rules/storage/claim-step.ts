/** What is to be done about a claim. Source: kubernetes v1.34 `pv_controller.go` `syncClaim`. */
import { ownMember } from '../../kube/json/own-member.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../kube/types/storage.ts';
import { classNameOf, selectedNodeOf } from '../scheduling/pods/storage.ts';
import { BIND_COMPLETED, isReservedFor, withoutVolume } from './binding.ts';
import { withDefaultClass } from './default-class.ts';
import { CLAIM_PROTECTION, withProtection } from './protection.ts';
import type { StorageEvent } from './storage-events.ts';
import * as events from './storage-events.ts';
import { misfitOf } from './volume-fit.ts';

/** What is known about volumes and classes. */
export interface StorageView {
  volume(name: string): PersistentVolume | undefined;
  /** The volume that is reserved for a claim without a volume and that it gets. */
  reservedFor(claim: PersistentVolumeClaim): PersistentVolume | undefined;
  /** The smallest free volume that suits a claim. */
  smallestFor(claim: PersistentVolumeClaim): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
  defaultClass(): StorageClass | undefined;
}

/** The volume to bind the claim to; or the claim as it has to be, the same object if nothing changes. */
export type ClaimStep =
  | { readonly bindTo: PersistentVolume }
  | { readonly next: PersistentVolumeClaim; readonly event?: StorageEvent };

const pending = (claim: PersistentVolumeClaim, event?: StorageEvent): ClaimStep => ({
  next: withoutVolume(claim, 'Pending'),
  ...(event ? { event } : {}),
});

const lost = (claim: PersistentVolumeClaim, event: StorageEvent): ClaimStep => {
  const next = withoutVolume(claim, 'Lost');
  return claim.status?.phase === 'Lost' ? { next } : { next, event };
};

const ofBound = (claim: PersistentVolumeClaim, view: StorageView): ClaimStep => {
  const { volumeName = '' } = claim.spec ?? {};
  if (volumeName === '') return lost(claim, events.LOST_REFERENCE);
  const volume = view.volume(volumeName);
  if (!volume) return lost(claim, events.LOST_VOLUME);
  const reference = volume.spec?.claimRef;
  const isOurs = !reference || reference.uid === claim.metadata.uid;
  return isOurs ? { bindTo: volume } : lost(claim, events.MISBOUND);
};

const ofNamed = (claim: PersistentVolumeClaim, volumeName: string, view: StorageView): ClaimStep => {
  const volume = view.volume(volumeName);
  if (!volume) return pending(claim);
  if (isReservedFor(volume, claim)) return { bindTo: volume };
  if (volume.spec?.claimRef) return pending(claim, events.boundToOther(volumeName));
  const misfit = misfitOf(volume, claim);
  return misfit === undefined ? { bindTo: volume } : pending(claim, events.mismatched(volumeName, misfit));
};

const PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
const PROVISIONER_BETA = 'volume.beta.kubernetes.io/storage-provisioner';

/** Tells an external provisioner that the claim wants a volume. */
const forProvisioner = (claim: PersistentVolumeClaim, provisioner: string): PersistentVolumeClaim => {
  const { metadata } = claim;
  const has = (name: string): boolean => ownMember(metadata.annotations, name) === provisioner;
  if (has(PROVISIONER) && has(PROVISIONER_BETA)) return claim;
  const told = { [PROVISIONER]: provisioner, [PROVISIONER_BETA]: provisioner };
  return { ...claim, metadata: { ...metadata, annotations: { ...metadata.annotations, ...told } } };
};

const provision = (claim: PersistentVolumeClaim, view: StorageView): ClaimStep => {
  const name = classNameOf(claim);
  const storageClass = view.storageClass(name);
  if (!storageClass) return pending(claim, events.classNotFound(name));
  const { provisioner = '' } = storageClass;
  if (provisioner.startsWith('kubernetes.io/')) return pending(claim, events.noProvisioner(provisioner));
  return pending(forProvisioner(claim, provisioner), events.waitsForProvisioner(provisioner));
};

const ofUnbound = (claim: PersistentVolumeClaim, view: StorageView): ClaimStep => {
  const mode = view.storageClass(classNameOf(claim))?.volumeBindingMode;
  const isDelayed = mode === 'WaitForFirstConsumer';
  const reserved = view.reservedFor(claim);
  if (reserved) return { bindTo: reserved };
  const classed = withDefaultClass(claim, view.defaultClass());
  if (classed !== claim) return { next: classed };
  // The scheduler chooses for a claim that waits for its first pod, because only it knows the node.
  const found = isDelayed ? undefined : view.smallestFor(claim);
  if (found) return { bindTo: found };
  if (isDelayed && selectedNodeOf(claim) === undefined) return pending(claim, events.WAITS_FOR_CONSUMER);
  return classNameOf(claim) === '' ? pending(claim, events.NO_VOLUME_NO_CLASS) : provision(claim, view);
};

const decide = (claim: PersistentVolumeClaim, view: StorageView): ClaimStep => {
  if (ownMember(claim.metadata.annotations, BIND_COMPLETED) !== undefined) return ofBound(claim, view);
  const { volumeName = '' } = claim.spec ?? {};
  return volumeName === '' ? ofUnbound(claim, view) : ofNamed(claim, volumeName, view);
};

/** Decides about a claim. One that stays gets its finalizer. */
export const claimStep = (claim: PersistentVolumeClaim, view: StorageView): ClaimStep => {
  const step = decide(claim, view);
  return 'bindTo' in step ? step : { ...step, next: withProtection(step.next, CLAIM_PROTECTION) };
};
