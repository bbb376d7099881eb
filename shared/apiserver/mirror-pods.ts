/** The only pods that a node may create stand for pods that it already runs. Source: kubernetes v1.34 `noderestriction`. */
import type { Pod } from '../api/core.ts';
import type { OwnerReference } from '../api/meta.ts';
import { forbidden } from '../api/status-error.ts';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

const ownerFault = (
  self: string,
  uid: string | undefined,
  owners: readonly OwnerReference[],
): string | undefined => {
  const [owner] = owners;
  if (
    !owner ||
    owners.length !== 1 ||
    owner.apiVersion !== 'v1' ||
    owner.kind !== 'Node' ||
    owner.name !== self
  )
    return `node "${self}" can only create pods with an owner reference set to itself`;
  if (owner.controller !== true)
    return `node "${self}" can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true)
    return `node "${self}" must not set blockOwnerDeletion on an owner reference`;
  if (uid !== undefined && owner.uid !== uid)
    return `node ${self} UID mismatch: expected ${owner.uid} got ${uid}`;
  return undefined;
};

interface Volume {
  readonly [source: string]: unknown;
}

const volumeFault = (self: string, pod: Pod): string | undefined => {
  const volumes = (pod.spec['volumes'] ?? []) as readonly Volume[];
  const uses = (source: string) => volumes.some((volume) => volume[source] !== undefined);
  if (uses('secret')) return 'a mirror pod may not reference secrets';
  if (uses('configMap')) return `node "${self}" can not create pods that reference configmaps`;
  return uses('persistentVolumeClaim')
    ? `node "${self}" can not create pods that reference persistentvolumeclaims`
    : undefined;
};

const mirrorFault = (self: string, uid: string | undefined, pod: Pod): string | undefined => {
  if (!isMirrorPod(pod))
    return `pod does not have "${MIRROR_ANNOTATION}" annotation, node "${self}" can only create mirror pods`;
  if (pod.spec.nodeName !== self)
    return `node "${self}" can only create pods with spec.nodeName set to itself`;
  return ownerFault(self, uid, pod.metadata.ownerReferences ?? []) ?? volumeFault(self, pod);
};

export const isMirrorPod = ({ metadata }: Pod): boolean =>
  metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;

/** Throws 403 unless `pod` mirrors a pod of node `self`; `uid` is the Node's, as far as the user's token tells. */
export const restrictMirrorPod = (self: string, uid: string | undefined, pod: Pod): void => {
  const fault = mirrorFault(self, uid, pod);
  if (fault) throw forbidden({ resource: 'pods', name: pod.metadata.name }, fault);
};
