/** Claims and the volumes bound to them. Source: kubernetes v1.34 scheduler plugin `volumebinding`. */
import type { Node, Pod } from '../../api/core.ts';
import { compareQuantities } from '../../api/quantity.ts';
import { selects } from '../../api/selector/object-selector.ts';
import type { PersistentVolume } from '../../api/validation/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../../api/validation/volume-claim.ts';
import type { FilterPlugin, Refusal } from './framework.ts';
import { isEmptyTerm, nodeSelectorMatch } from './node-selector.ts';
import type { ClaimUse, Storage } from './storage.ts';
import { claimsOf, classNameOf, classOf, isFullyBound } from './storage.ts';
import { isProvisionable } from './volume-provisioning.ts';

const OTHER_NODE = "node(s) didn't match PersistentVolume's node affinity";
const NO_VOLUME = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
const NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind";

/** Why the pod cannot use a claim at all, whatever the node. Source: `podHasPVCs`. */
const claimFault = (pod: Pod, { name, isEphemeral, claim }: ClaimUse): string | undefined => {
  if (!claim)
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  const { metadata, spec, status } = claim;
  if (status?.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${spec?.volumeName ?? ''}"`;
  if (metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  const isOwned = metadata.ownerReferences?.some(
    ({ uid, controller }) => controller && uid === pod.metadata.uid,
  );
  return isEphemeral && !isOwned
    ? `PVC ${metadata.namespace}/${name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`
    : undefined;
};

const waitsForConsumer = (claim: PersistentVolumeClaim, storage: Storage): boolean =>
  !claim.spec?.volumeName && classOf(claim, storage)?.volumeBindingMode === 'WaitForFirstConsumer';

/** Whether the node can use the volume. A volume without node affinity can be used everywhere. */
const isUsableOn = ({ spec }: PersistentVolume, node: Node): boolean => {
  const required = spec?.nodeAffinity?.required;
  if (!required || (required.nodeSelectorTerms ?? []).every(isEmptyTerm)) return !required;
  return nodeSelectorMatch(required)(node);
};

const includesAll = (all: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  wanted.every((one) => all.includes(one));

const sizeOf = (claim: PersistentVolumeClaim): string => claim.spec?.resources?.requests?.['storage'] ?? '0';

const capacityOf = ({ spec }: PersistentVolume): string => spec?.capacity?.['storage'] ?? '0';

/** Whether the free volume suits the claim, apart from the node. Source: component-helpers `FindMatchingVolume`. */
const suits = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean => {
  const { metadata, spec, status } = volume;
  return (
    spec?.['claimRef'] === undefined &&
    metadata.deletionTimestamp === undefined &&
    (status?.phase ?? 'Available') === 'Available' &&
    (spec?.storageClassName ?? '') === classNameOf(claim) &&
    (spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem') &&
    includesAll(spec?.accessModes, claim.spec?.accessModes) &&
    compareQuantities(capacityOf(volume), sizeOf(claim)) >= 0 &&
    (claim.spec?.selector === undefined || selects(claim.spec.selector, metadata.labels))
  );
};

const isReservedFor = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean => {
  const reference = spec?.['claimRef'] as { readonly name?: string; readonly namespace?: string } | undefined;
  return reference?.name === metadata.name && reference?.namespace === metadata.namespace;
};

/** Finds the volume that the claim would get on the node: one that is reserved for it, else the smallest that suits. */
const volumeFor = (
  claim: PersistentVolumeClaim,
  node: Node,
  free: readonly PersistentVolume[],
): PersistentVolume | undefined => {
  const usable = free.filter((volume) => isUsableOn(volume, node));
  return (
    usable.find((volume) => isReservedFor(volume, claim)) ??
    usable
      .filter((volume) => suits(volume, claim))
      .toSorted((a, b) => compareQuantities(capacityOf(a), capacityOf(b)))[0]
  );
};

/** Whether each claim gets a volume on the node: one that is there, or else one that can be made. No volume serves two. */
const canBind = (claims: readonly PersistentVolumeClaim[], node: Node, storage: Storage): boolean => {
  let free = [...storage.volumes.values()];
  return claims
    .toSorted((a, b) => compareQuantities(sizeOf(a), sizeOf(b)))
    .every((claim) => {
      const selected = claim.metadata.annotations?.['volume.kubernetes.io/selected-node'];
      if (selected !== undefined && selected !== node.metadata.name) return false;
      const volume = selected === undefined ? volumeFor(claim, node, free) : undefined;
      free = free.filter((one) => one !== volume);
      return volume !== undefined || isProvisionable(claim, node, storage);
    });
};

const volumesOf = (claims: readonly PersistentVolumeClaim[], { volumes }: Storage) =>
  claims.map(({ spec }) => volumes.get(spec?.volumeName ?? '')).filter((volume) => volume !== undefined);

/**
 * Keeps a pod to nodes that can use the volumes of its claims. A claim that the cluster binds at once, whatever the pod, must
 * be bound already; one that waits for its first pod needs a volume that this node can use.
 */
export const volumeBindingFilter: FilterPlugin = {
  name: 'VolumeBinding',
  preFilter: (pod, { storage }) => {
    const uses = claimsOf(pod, storage);
    if (uses.length === 0) return undefined;
    const fault = uses.map((use) => claimFault(pod, use)).find((one) => one !== undefined);
    if (fault !== undefined) return { fault };
    const claims = uses.map(({ claim }) => claim).filter((claim) => claim !== undefined);
    const unbound = claims.filter((claim) => !isFullyBound(claim));
    if (!unbound.every((claim) => waitsForConsumer(claim, storage)))
      return { fault: 'pod has unbound immediate PersistentVolumeClaims' };
    const bound = claims.filter(isFullyBound);
    const volumes = volumesOf(bound, storage);
    const missing = volumes.length < bound.length ? [NO_VOLUME] : [];
    const refusal = (reasons: readonly string[]): Refusal | undefined =>
      reasons.length > 0 ? { reasons, isResolvable: false } : undefined;
    return {
      filter: ({ node }) =>
        refusal([
          ...(volumes.every((volume) => isUsableOn(volume, node)) ? [] : [OTHER_NODE]),
          ...(canBind(unbound, node, storage) ? [] : [NOTHING_TO_BIND]),
          ...missing,
        ]),
    };
  },
};
