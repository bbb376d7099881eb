/**
 * Which volumes a claim could be bound to. This is found out once for an attempt; then each node is asked only which of them it
 * can use. Source: kubernetes v1.34 component-helpers `FindMatchingVolume`.
 */
import { compareQuantities } from '../../api/quantity.ts';
import { selects } from '../../api/selector/object-selector.ts';
import type { PersistentVolume } from '../../api/validation/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../../api/validation/volume-claim.ts';
import type { NodeMatch } from './node-selector.ts';
import { nodeSelectorMatch } from './node-selector.ts';
import type { Storage } from './storage.ts';
import { classNameOf } from './storage.ts';

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

/** Whether the free volume suits the claim, apart from the node. */
export const suits = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean => {
  const { metadata, spec, status } = volume;
  return (
    spec?.claimRef === undefined &&
    metadata.deletionTimestamp === undefined &&
    (status?.phase ?? 'Available') === 'Available' &&
    (spec?.storageClassName ?? '') === classNameOf(claim) &&
    (spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '') &&
    (spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem') &&
    includesAll(spec?.accessModes, claim.spec?.accessModes) &&
    compareQuantities(capacityOf(volume), sizeOf(claim)) >= 0 &&
    (claim.spec?.selector === undefined || selects(claim.spec.selector, metadata.labels))
  );
};

const isReservedFor = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean => {
  const reference = spec?.claimRef;
  return reference?.name === metadata.name && reference?.namespace === metadata.namespace;
};

/** Those that are reserved for the claim, then those that suit it, the smallest first. */
const candidatesFor = (
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): readonly UsableVolume[] => {
  const reserved = volumes.filter((volume) => isReservedFor(volume, claim));
  const suitable = volumes
    .filter((volume) => suits(volume, claim))
    .toSorted((a, b) => compareQuantities(capacityOf(a), capacityOf(b)));
  return [...reserved, ...suitable].map(usable);
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
      const selectedNode = claim.metadata.annotations?.['volume.kubernetes.io/selected-node'];
      return {
        claim,
        selectedNode,
        candidates: selectedNode === undefined ? candidatesFor(claim, volumes) : [],
      };
    });
};
