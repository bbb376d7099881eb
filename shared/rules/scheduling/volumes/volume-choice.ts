/** The volumes that the scheduler chooses for claims that wait for their first pod. Source: kubernetes v1.34 `FindPodVolumes`. */
import type { Node, Pod } from '../../../kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../kube/types/storage.ts';
import { type UnboundClaim, unboundClaims } from '../../storage/volume-matching.ts';
import type { Storage } from '../pods/storage.ts';
import { claimsOf, isFullyBound } from '../pods/storage.ts';
import { isProvisionable } from './volume-provisioning.ts';

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
