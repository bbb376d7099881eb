/** The volumes that the scheduler chooses for claims that wait for their first pod. Source: kubernetes v1.34 `FindPodVolumes`. */

import { ownMember } from '../../../kube/json/own-member.ts';
import type { TopologySelectorTerm } from '../../../kube/types/affinity.ts';
import type { Node, Pod } from '../../../kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../kube/types/storage.ts';
import { type UnboundClaim, unboundClaims } from '../../storage/volume-matching.ts';
import { claimsOf, classOf, isFullyBound, type Storage } from '../pods/storage.ts';

/** A claim and the volume that it gets. */
export interface VolumeBinding {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/** What the claims of a pod get on one node. */
export interface VolumeChoice {
  /** Volumes that are there. */
  readonly bindings: readonly VolumeBinding[];
  /** Claims for which a provisioner makes a volume that this node can use. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

const meets = ({ matchLabelExpressions = [] }: TopologySelectorTerm, { metadata }: Node): boolean =>
  matchLabelExpressions.length > 0 &&
  matchLabelExpressions.every(({ key = '', values = [] }) => {
    const label = ownMember(metadata.labels, key);
    return label !== undefined && values.includes(label);
  });

/** Whether the class allows volumes that this node can use. Without terms it allows all. */
const allows = ({ allowedTopologies = [] }: StorageClass, node: Node): boolean =>
  allowedTopologies.length === 0 || allowedTopologies.some((term) => meets(term, node));

/**
 * Whether a volume for the claim can be made for this node. The capacity that drivers report is not looked at. Source:
 * kubernetes v1.34 scheduler `volumebinding` `checkVolumeProvisions`.
 */
const isProvisionable = (claim: PersistentVolumeClaim, node: Node, storage: Storage): boolean => {
  const storageClass = classOf(claim, storage);
  const provisioner = storageClass?.provisioner ?? '';
  if (!storageClass || provisioner === '' || provisioner === 'kubernetes.io/no-provisioner') return false;
  return allows(storageClass, node);
};

/** Chooses for each claim a volume that is there, or else one that can be made; `undefined`: one gets none. No volume serves two. */
export const choiceOn = (
  wanted: readonly UnboundClaim[],
  node: Node,
  storage: Storage,
): VolumeChoice | undefined => {
  const taken = new Set<PersistentVolume>();
  const bindings: VolumeBinding[] = [];
  const provisions: PersistentVolumeClaim[] = [];
  for (const { claim, selectedNode, candidates } of wanted) {
    if (selectedNode !== undefined && selectedNode !== node.metadata.name) return undefined;
    const volume = candidates.bestOn(node, taken);
    if (volume) {
      taken.add(volume);
      bindings.push({ claim, volume });
    } else if (isProvisionable(claim, node, storage)) provisions.push(claim);
    else return undefined;
  }
  return { bindings, provisions };
};

/** What is chosen for the pod on a node that takes it; `undefined`: its claims are all bound. */
export const volumeChoice = (pod: Pod, node: Node, storage: Storage): VolumeChoice | undefined => {
  const claims = claimsOf(pod, storage).map(({ claim }) => claim);
  const unbound = claims.filter((claim) => claim !== undefined).filter((claim) => !isFullyBound(claim));
  return unbound.length === 0 ? undefined : choiceOn(unboundClaims(unbound, storage), node, storage);
};
