/** How far the binding of volumes is for which a pod waits. Source: kubernetes v1.34 `checkBindings`. */
import type { Node } from '../../../kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../kube/types/storage.ts';
import { usable } from '../../storage/volume-candidates.ts';
import type { Storage } from '../pods/storage.ts';
import { isFullyBound, selectedNodeOf } from '../pods/storage.ts';
import type { VolumeBinding, VolumeChoice } from './volume-choice.ts';

/** How long a pod waits for its volumes, ms. Kubernetes: `bindTimeoutSeconds` 600. */
export const BIND_TIMEOUT_MS = 600_000;

/** Why a pod stops waiting after `BIND_TIMEOUT_MS`. */
export const TIMED_OUT = 'context deadline exceeded';

/** The message of a pod whose volumes were not bound. */
export const bindingFailure = (why: string): string =>
  `running PreBind plugin "VolumeBinding": binding volumes: ${why}`;

/** `failure`: the pod has to be placed anew, and why. */
export type VolumeProgress = 'waits' | 'bound' | { readonly failure: string };

const WAITS = 'waits';

const currentClaim = (
  { metadata: { namespace = '', name, uid } }: PersistentVolumeClaim,
  { claims }: Storage,
): PersistentVolumeClaim | undefined => {
  const claim = claims.get(`${namespace}/${name}`);
  return claim?.metadata.uid === uid ? claim : undefined;
};

const otherNode = (volume: PersistentVolume, node: Node): VolumeProgress | undefined =>
  usable(volume).isUsableOn(node)
    ? undefined
    : {
        failure: `pv "${volume.metadata.name}" node affinity doesn't match node "${node.metadata.name}": no matching NodeSelectorTerms`,
      };

const ofBinding = (
  { claim, volume: chosen }: VolumeBinding,
  node: Node,
  storage: Storage,
): VolumeProgress => {
  const volume = storage.volumes.get(chosen.metadata.name);
  const current = currentClaim(claim, storage);
  if (!volume || !current) return { failure: 'failed to check binding: object not found' };
  const refused = otherNode(volume, node);
  if (refused) return refused;
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid)
    return { failure: `ClaimRef got reset for pv "${volume.metadata.name}"` };
  return isFullyBound(current) ? 'bound' : WAITS;
};

const ofProvision = (claim: PersistentVolumeClaim, node: Node, storage: Storage): VolumeProgress => {
  const current = currentClaim(claim, storage);
  if (!current) return { failure: 'failed to check provisioning pvc: object not found' };
  if (selectedNodeOf(current) !== node.metadata.name)
    return { failure: `provisioning failed for PVC "${claim.metadata.name}"` };
  const volume = storage.volumes.get(current.spec?.volumeName ?? '');
  if (current.spec?.volumeName && !volume) return WAITS;
  return (volume && otherNode(volume, node)) ?? (isFullyBound(current) ? 'bound' : WAITS);
};

/** Judges what was chosen for a pod on a node, by the objects of the present. `node` is absent if it is gone. */
export const volumeProgress = (
  { bindings, provisions }: VolumeChoice,
  nodeName: string,
  node: Node | undefined,
  storage: Storage,
): VolumeProgress => {
  if (!node) return { failure: `failed to get node "${nodeName}": node "${nodeName}" not found` };
  const each = [
    ...bindings.map((binding) => ofBinding(binding, node, storage)),
    ...provisions.map((claim) => ofProvision(claim, node, storage)),
  ];
  return each.find((one) => typeof one === 'object') ?? each.find((one) => one === WAITS) ?? 'bound';
};
