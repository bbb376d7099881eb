/** Volumes by a claim: what the claim is bound to, or why there is nothing yet. Source: kubernetes v1.34 pkg/kubelet/volumemanager `desired_state_of_world_populator`. */
import type { Node } from '../../../shared/kube/types/core.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../shared/kube/types/storage.ts';
import { nodeSelectorMatch } from '../../../shared/rules/scheduling/pods/node-selector.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import type { Known } from '../known.ts';
import { type Volume, volumesOf } from './volume.ts';

export interface StorageFacts {
  /** Of the pod's namespace. */
  readonly claim: (name: string) => PersistentVolumeClaim | undefined;
  readonly volume: (name: string) => PersistentVolume | undefined;
  readonly node: Known<Node>;
}

/** The claim of a volume; `undefined` if it has none. The claim of an ephemeral volume is named after its pod. */
export const claimNameOf = ({ metadata }: AgentPod, volume: Volume): string | undefined => {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName;
  return volume['ephemeral'] === undefined ? undefined : `${metadata.name}-${volume.name}`;
};

type Found<T> = T | { readonly fault: string };

const isFault = (found: object): found is { readonly fault: string } => 'fault' in found;

const isOwnedBy = ({ metadata }: PersistentVolumeClaim, pod: AgentPod): boolean =>
  (metadata.ownerReferences ?? []).some(
    ({ uid, controller }) => controller === true && uid === pod.metadata.uid,
  );

/** A pod that runs keeps the volume of a claim that is being deleted. */
const hasBegun = ({ status }: AgentPod): boolean => (status?.phase ?? 'Pending') !== 'Pending';

const boundClaim = (
  pod: AgentPod,
  volume: Volume,
  name: string,
  facts: StorageFacts,
): Found<PersistentVolumeClaim> => {
  const claim = facts.claim(name);
  if (!claim)
    return { fault: `failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found` };
  if (volume['ephemeral'] !== undefined && !isOwnedBy(claim, pod))
    return { fault: `PVC ${name} was not created for the pod` };
  if (claim.metadata.deletionTimestamp !== undefined && !hasBegun(pod))
    return { fault: 'PVC is being deleted' };
  if (claim.status?.phase !== 'Bound') return { fault: 'PVC is not bound' };
  return claim.spec?.volumeName ? claim : { fault: 'PVC has empty pvc.Spec.VolumeName' };
};

const volumeOf = (claim: PersistentVolumeClaim, facts: StorageFacts): Found<PersistentVolume> => {
  const name = claim.spec?.volumeName ?? '';
  const volume = facts.volume(name);
  if (!volume)
    return { fault: `failed to fetch PV ${name} from API server: persistentvolumes "${name}" not found` };
  const { claimRef, nodeAffinity, volumeMode } = volume.spec ?? {};
  if (claimRef?.uid !== claim.metadata.uid)
    return {
      fault: `found PV object ${name} with a claimRef that does not point to claim.UID ${claim.metadata.uid ?? ''}`,
    };
  if (volumeMode === 'Block')
    return { fault: `volume ${name} has volumeMode Block, which this agent does not have` };
  const { required } = nodeAffinity ?? {};
  if (!required) return volume;
  if (!facts.node.isKnown)
    return { fault: `volume ${name} is for certain nodes, and this node is not known yet` };
  return nodeSelectorMatch(required)(facts.node.value)
    ? volume
    : { fault: `volume ${name} is not for this node: no matching NodeSelectorTerms` };
};

/** Members of the spec that say something else than where the volume is. */
const ABOUT: ReadonlySet<string> = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

const sourceOf = ({ spec = {} }: PersistentVolume): Found<Partial<Volume>> => {
  const { hostPath, local } = spec as Partial<Pick<Volume, 'hostPath' | 'local'>>;
  if (hostPath) return { hostPath };
  if (local) return { local };
  const kinds = Object.keys(spec).filter((name) => !ABOUT.has(name));
  return { fault: `this agent has no volumes of the type ${kinds.join(', ')}` };
};

const resolved = (pod: AgentPod, volume: Volume, facts: StorageFacts): Volume => {
  const name = claimNameOf(pod, volume);
  if (name === undefined) return volume;
  const failed = (fault: string): Volume => ({
    name: volume.name,
    fault: `error processing PVC ${pod.metadata.namespace ?? ''}/${name}: ${fault}`,
  });
  const claim = boundClaim(pod, volume, name, facts);
  if (isFault(claim)) return failed(claim.fault);
  const found = volumeOf(claim, facts);
  if (isFault(found)) return failed(found.fault);
  const source = sourceOf(found);
  if (isFault(source)) return { name: volume.name, fault: source.fault };
  const isReadOnly = volume.persistentVolumeClaim?.readOnly === true;
  return { name: volume.name, ...source, ...(isReadOnly && { isReadOnly }) };
};

/** The pod with the volumes of its claims in the place of the claims; one that is not there has a `fault`. */
export const withClaims = (pod: AgentPod, facts: StorageFacts): AgentPod => ({
  ...pod,
  spec: { ...pod.spec, volumes: volumesOf(pod).map((volume) => resolved(pod, volume, facts)) },
});
