/** Claims and the volumes bound to them. Source: kubernetes v1.34 scheduler plugin `volumebinding`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { PersistentVolumeClaim } from '../../../kube/types/storage.ts';
import { usable } from '../../storage/volume-candidates.ts';
import { unboundClaims } from '../../storage/volume-matching.ts';
import type { FilterPlugin, Refusal } from '../cluster/framework.ts';
import type { ClaimUse, Storage } from '../pods/storage.ts';
import { claimsOf, classOf, isFullyBound, isOwnedBy } from '../pods/storage.ts';
import { choiceOn } from './volume-choice.ts';

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
  return isEphemeral && !isOwnedBy(claim, pod)
    ? `PVC ${metadata.namespace}/${name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`
    : undefined;
};

const waitsForConsumer = (claim: PersistentVolumeClaim, storage: Storage): boolean =>
  !claim.spec?.volumeName && classOf(claim, storage)?.volumeBindingMode === 'WaitForFirstConsumer';

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
    const volumes = volumesOf(bound, storage).map(usable);
    const wanted = unboundClaims(unbound, storage);
    const missing = volumes.length < bound.length ? [NO_VOLUME] : [];
    const refusal = (reasons: readonly string[]): Refusal | undefined =>
      reasons.length > 0 ? { reasons, isResolvable: false } : undefined;
    return {
      filter: ({ node }) =>
        refusal([
          ...(volumes.every(({ isUsableOn }) => isUsableOn(node)) ? [] : [OTHER_NODE]),
          ...(choiceOn(wanted, node, storage) ? [] : [NOTHING_TO_BIND]),
          ...missing,
        ]),
    };
  },
};
