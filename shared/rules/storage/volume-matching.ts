/**
 * Which volumes a claim could be bound to. This is found out once for an attempt; then each node is asked only which of them it
 * can use. Source: kubernetes v1.34 component-helpers `FindMatchingVolume`.
 */

import { selects } from '../../kube/selector/object-selector.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../kube/types/storage.ts';
import { compareQuantities } from '../../kube/values/quantity.ts';
import type { Storage } from '../scheduling/pods/storage.ts';
import { classNameOf, selectedNodeOf } from '../scheduling/pods/storage.ts';
import { isReservedFor } from './binding.ts';
import { type Candidates, capacityOf, createCandidates } from './volume-candidates.ts';

/** A claim that waits for its first pod. */
export interface UnboundClaim {
  readonly claim: PersistentVolumeClaim;
  /** The node for which a volume is being made already. Such a claim gets no other volume. */
  readonly selectedNode: string | undefined;
  /** The volumes that the claim can have. */
  readonly candidates: Candidates;
}

/** Whether a list of access modes includes all wanted ones. */
export const includesAll = (all: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  wanted.every((one) => all.includes(one));

/** The storage that the claim asks for, as a quantity. */
export const sizeOf = (claim: PersistentVolumeClaim): string =>
  claim.spec?.resources?.requests?.['storage'] ?? '0';

/** Whether one is a block device and the other a file system. */
export const hasOtherMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec?.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem');

/** Whether the claim asks for more than the volume has. */
export const isTooSmall = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  compareQuantities(capacityOf(volume), sizeOf(claim)) < 0;

/** Whether the two name different VolumeAttributesClasses. */
export const hasOtherAttributes = ({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (spec?.volumeAttributesClassName ?? '') !== (claim.spec?.volumeAttributesClassName ?? '');

/** What has to be right also of a volume that is reserved for the claim. */
const couldServe = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  volume.metadata.deletionTimestamp === undefined &&
  !hasOtherAttributes(volume, claim) &&
  !hasOtherMode(volume, claim) &&
  !isTooSmall(volume, claim);

/** Whether the free volume suits the claim, apart from the node. */
export const suits = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean => {
  const { metadata, spec, status } = volume;
  return (
    spec?.claimRef === undefined &&
    (status?.phase ?? 'Available') === 'Available' &&
    (spec?.storageClassName ?? '') === classNameOf(claim) &&
    includesAll(spec?.accessModes, claim.spec?.accessModes) &&
    couldServe(volume, claim) &&
    (claim.spec?.selector === undefined || selects(claim.spec.selector, metadata.labels))
  );
};

/** Whether the scheduler takes the volume for the claim because it is reserved for it. Class, labels and access modes do not matter. */
export const isReservedAndServes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  isReservedFor(volume, claim) && couldServe(volume, claim);

/** The one that is reserved for the claim and no other; else those that suit it. */
const candidatesFor = (
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): readonly PersistentVolume[] => {
  const reserved = volumes.find((volume) => isReservedAndServes(volume, claim));
  return reserved ? [reserved] : volumes.filter((volume) => suits(volume, claim));
};

/** Looks up the volumes for claims that are not bound. The smallest claim comes first. */
export const unboundClaims = (
  claims: readonly PersistentVolumeClaim[],
  storage: Storage,
): readonly UnboundClaim[] => {
  if (claims.length === 0) return [];
  const volumes = [...storage.volumes.values()];
  return claims
    .toSorted((a, b) => compareQuantities(sizeOf(a), sizeOf(b)))
    .map((claim) => {
      const selectedNode = selectedNodeOf(claim);
      const candidates = selectedNode === undefined ? candidatesFor(claim, volumes) : [];
      return { claim, selectedNode, candidates: createCandidates(candidates) };
    });
};
