/** The volumes that pods ask for through claims, and where those volumes can be used. */

import { ownMember } from '../../../kube/json/own-member.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type {
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../../kube/types/storage.ts';
import { withAnnotation } from '../../../kube/values/with-annotation.ts';
import type { PodVolume } from './scheduling-spec.ts';
import { schedulingSpec } from './scheduling-spec.ts';

/** The objects about storage. Claims are found by `namespace/name`, all others by name. */
export interface Storage {
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly classes: ReadonlyMap<string, StorageClass>;
  readonly csiNodes: ReadonlyMap<string, CSINode>;
}

/** A claim that a pod names. The claim of an ephemeral volume is made for this one pod. */
export interface ClaimUse {
  readonly name: string;
  readonly isEphemeral: boolean;
  /** Absent if there is no such claim. */
  readonly claim: PersistentVolumeClaim | undefined;
}

/**
 * The name of the volume's claim; `undefined` if it has none. The one of an ephemeral volume is named after pod and volume.
 * Source: kubernetes v1.34 component-helpers `ephemeral.VolumeClaimName`.
 */
export const claimNameOf = (
  { name, persistentVolumeClaim, ephemeral }: PodVolume,
  podName: string,
): string | undefined => persistentVolumeClaim?.claimName ?? (ephemeral ? `${podName}-${name}` : undefined);

/** Whether the volume is one of a claim. */
export const isClaim = ({ persistentVolumeClaim, ephemeral }: PodVolume): boolean =>
  persistentVolumeClaim?.claimName !== undefined || !!ephemeral;

const NO_CLAIMS: readonly ClaimUse[] = [];

/** The claims that the pod names, in the order of its volumes. */
export const claimsOf = (pod: Pod, { claims }: Storage): readonly ClaimUse[] => {
  const { volumes } = schedulingSpec(pod);
  if (!volumes) return NO_CLAIMS;
  const { namespace = '', name: podName } = pod.metadata;
  const uses: ClaimUse[] = [];
  for (const volume of volumes) {
    const name = claimNameOf(volume, podName);
    if (name === undefined) continue;
    uses.push({
      name,
      isEphemeral: !volume.persistentVolumeClaim,
      claim: claims.get(`${namespace}/${name}`),
    });
  }
  return uses;
};

/** The name of the claim's class; the annotation from before v1.6 counts first. Source: kubernetes v1.34 `GetPersistentVolumeClaimClass`. */
export const classNameOf = ({ metadata, spec }: PersistentVolumeClaim): string =>
  ownMember(metadata.annotations, 'volume.beta.kubernetes.io/storage-class') ?? spec?.storageClassName ?? '';

/** The claim's class, if there is one of that name. */
export const classOf = (claim: PersistentVolumeClaim, { classes }: Storage): StorageClass | undefined =>
  classes.get(classNameOf(claim));

/** Whether the claim and its volume are bound to each other for good. Source: kubernetes v1.34 `isPVCFullyBound`. */
export const isFullyBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  !!spec?.volumeName && ownMember(metadata.annotations, 'pv.kubernetes.io/bind-completed') !== undefined;

const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** The node for which a provisioner is to make a volume. */
export const selectedNodeOf = ({ metadata }: PersistentVolumeClaim): string | undefined =>
  ownMember(metadata.annotations, SELECTED_NODE);

/** The claim with the node for which a provisioner is to make its volume; the same one if it has it. */
export const withSelectedNode = (claim: PersistentVolumeClaim, nodeName: string): PersistentVolumeClaim => {
  const metadata = withAnnotation(claim.metadata, SELECTED_NODE, nodeName);
  return metadata === claim.metadata ? claim : { ...claim, metadata };
};

/** Whether the claim was made for this pod, as that of an ephemeral volume is. */
export const isOwnedBy = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === pod.metadata.uid) ===
  true;
