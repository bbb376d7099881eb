/**
 * A node may only create mirror pods, for static pods that it already runs. Source: kubernetes v1.34
 * `noderestriction`.
 */

import { forbidden, notFound } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { OwnerReference } from '../../kube/types/meta.ts';
import { isMirrorPod, MIRROR_ANNOTATION } from '../../rules/pods/mirror-pod.ts';
import type { PodReferences } from './pod-references.ts';
import { referencesOf } from './pod-references.ts';

const ownerFault = (self: string, owners: readonly OwnerReference[]): string | undefined => {
  const [owner, second] = owners;
  if (second) return `node "${self}" can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== self)
    return `node "${self}" can only create pods with an owner reference set to itself`;
  if (owner.controller !== true)
    return `node "${self}" can only create pods with a controller owner reference set to itself`;
  return owner.blockOwnerDeletion === true
    ? `node "${self}" must not set blockOwnerDeletion on an owner reference`
    : undefined;
};

/** Throws 404 when the node is not registered. */
const uidFault = (
  self: string,
  uid: string | undefined,
  owners: readonly OwnerReference[],
): string | undefined => {
  if (uid === undefined) throw notFound({ resource: 'node', name: self });
  const expected = owners[0]?.uid;
  return expected === uid ? undefined : `node ${self} UID mismatch: expected ${expected} got ${uid}`;
};

const forbiddenReference = (references: PodReferences): string | undefined => {
  if (references.serviceAccount !== undefined) return 'a service account';
  if (references.secrets.size > 0) return 'secrets';
  if (references.configMaps.size > 0) return 'configmaps';
  if (references.trustBundles) return 'clustertrustbundles';
  if (references.claims.size > 0) return 'persistentvolumeclaims';
  return references.resourceClaims.size > 0 ? 'resourceclaims' : undefined;
};

const referenceFault = (self: string, pod: Pod): string | undefined => {
  const reference = forbiddenReference(referencesOf(pod));
  return reference === undefined
    ? undefined
    : `node "${self}" can not create pods that reference ${reference}`;
};

const mirrorFault = (self: string, uid: string | undefined, pod: Pod): string | undefined => {
  if (!isMirrorPod(pod))
    return `pod does not have "${MIRROR_ANNOTATION}" annotation, node "${self}" can only create mirror pods`;
  if (pod.spec.nodeName !== self)
    return `node "${self}" can only create pods with spec.nodeName set to itself`;
  const owners = pod.metadata.ownerReferences ?? [];
  return ownerFault(self, owners) ?? uidFault(self, uid, owners) ?? referenceFault(self, pod);
};

/** Throws 403 unless `pod` mirrors a pod of node `self`; `uid` is the Node's. */
export const restrictMirrorPod = (self: string, uid: string | undefined, pod: Pod): void => {
  const fault = mirrorFault(self, uid, pod);
  if (fault) throw forbidden({ resource: 'pods', name: pod.metadata.name }, fault);
};

const privilegeFault = ({
  serviceAccount,
  secrets,
  serviceAccountTokens,
}: PodReferences): string | undefined => {
  if (serviceAccount !== undefined) return 'a mirror pod may not reference service accounts';
  if (secrets.size > 0) return 'a mirror pod may not reference secrets';
  return serviceAccountTokens ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
};

/**
 * Throws 403 for a mirror pod, whichever user creates it, that refers to a service account, a Secret or a token of a
 * service account. Source: kubernetes v1.34 admission plugin `ServiceAccount`.
 */
export const restrictMirrorPrivileges = (pod: Pod): void => {
  const fault = isMirrorPod(pod) ? privilegeFault(referencesOf(pod)) : undefined;
  if (fault) throw forbidden({ resource: 'pods', name: pod.metadata.name }, fault);
};
