/**
 * Which volumes a claim could be bound to. This is found out once for an attempt; then each node is asked only which of them it
 * can use. Source: kubernetes v1.34 component-helpers `FindMatchingVolume`.
 */
import { compareQuantities, quantityMilliValue } from '../../api/quantity.ts';
import { selects } from '../../api/selector/object-selector.ts';
import type { PersistentVolume } from '../../api/validation/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../../api/validation/volume-claim.ts';
import { isReservedFor } from '../storage/binding.ts';
import type { NodeMatch } from './node-selector.ts';
import { nodeSelectorMatch } from './node-selector.ts';
import type { Storage } from './storage.ts';
import { classNameOf, selectedNodeOf } from './storage.ts';

/** A volume, and which nodes can use it. */
export interface UsableVolume {
  readonly volume: PersistentVolume;
  readonly isUsableOn: NodeMatch;
}

/** A claim that waits for its first pod. */
export interface UnboundClaim {
  readonly claim: PersistentVolumeClaim;
  /** The node for which a volume is being made already. Such a claim gets no other volume. */
  readonly selectedNode: string | undefined;
  /** The volumes that the claim can have, the best first. */
  readonly candidates: readonly UsableVolume[];
}

/** Reads the node affinity of a volume. A volume without one can be used everywhere. */
export const usable = (volume: PersistentVolume): UsableVolume => {
  const required = volume.spec?.nodeAffinity?.required;
  return { volume, isUsableOn: required ? nodeSelectorMatch(required) : () => true };
};

/** Whether a list of access modes includes all wanted ones. */
export const includesAll = (all: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  wanted.every((one) => all.includes(one));

/** The storage that the claim asks for, as a quantity. */
export const sizeOf = (claim: PersistentVolumeClaim): string =>
  claim.spec?.resources?.requests?.['storage'] ?? '0';

/** The storage that the volume has, as a quantity. */
export const capacityOf = ({ spec }: PersistentVolume): string => spec?.capacity?.['storage'] ?? '0';

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

interface Sized {
  readonly volume: PersistentVolume;
  readonly size: number;
}

const bySizeThenName = (a: Sized, b: Sized): number =>
  a.size - b.size || (a.volume.metadata.name < b.volume.metadata.name ? -1 : 1);

/** The one that is reserved for the claim and no other; else those that suit it, the smallest first. */
const candidatesFor = (
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): readonly UsableVolume[] => {
  const reserved = volumes.find((volume) => isReservedAndServes(volume, claim));
  if (reserved) return [usable(reserved)];
  return volumes
    .filter((volume) => suits(volume, claim))
    .map((volume) => ({ volume, size: quantityMilliValue(capacityOf(volume)) }))
    .toSorted(bySizeThenName)
    .map(({ volume }) => usable(volume));
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
      return { claim, selectedNode, candidates };
    });
};
