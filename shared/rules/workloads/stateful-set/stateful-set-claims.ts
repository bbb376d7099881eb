/** The PersistentVolumeClaims of a StatefulSet. Source: kubernetes v1.34 pkg/controller/statefulset `stateful_set_utils.go`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { ApiObject, OwnerReference } from '../../../kube/types/meta.ts';
import type { PersistentVolumeClaim } from '../../../kube/types/storage.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import { CLAIM_PROTECTION, withProtection } from '../../storage/protection.ts';
import { controllerReference } from '../children/children.ts';
import { claimTemplatesOf, retentionOf } from './stateful-set-spec.ts';

/** The name of the claim of the pod with this ordinal, from the template with this name (W-135). */
export const claimNameOf = ({ metadata }: ApiObject, template: string, ordinal: number): string =>
  `${template}-${metadata.name}-${ordinal}`;

const claimOf = (
  set: Workload,
  { metadata: given, ...template }: Partial<PersistentVolumeClaim>,
  ordinal: number,
): PersistentVolumeClaim => {
  const labels = { ...given?.labels, ...set.spec?.selector?.matchLabels };
  const metadata = {
    ...given,
    name: claimNameOf(set, given?.name ?? '', ordinal),
    namespace: set.metadata.namespace ?? '',
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
  const claim: PersistentVolumeClaim = {
    ...template,
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata,
  };
  return withProtection(claim, CLAIM_PROTECTION);
};

/** The claims that the pod with this ordinal needs, as they are created (W-135). */
export const claimsFor = (set: Workload, ordinal: number): readonly PersistentVolumeClaim[] =>
  claimTemplatesOf(set).map((template) => claimOf(set, template, ordinal));

const referencesOf = ({ metadata }: ApiObject): readonly OwnerReference[] => metadata.ownerReferences ?? [];

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

/** Whether the reference names an object like this one, of whatever uid. */
const names = (owner: ApiObject, { apiVersion, kind, name }: OwnerReference): boolean =>
  kind === owner.kind && name === owner.metadata.name && groupOf(apiVersion) === groupOf(owner.apiVersion);

const namesStale = (owner: ApiObject, claim: ApiObject): boolean =>
  referencesOf(claim).some((reference) => names(owner, reference) && reference.uid !== owner.metadata.uid);

/**
 * Whether the claim belongs to an earlier pod of this name and is about to go with it (W-137); a new pod must not use it.
 * `pod` is the pod to be made, without a uid.
 */
export const isStale = (set: Workload, pod: Pod, claim: ApiObject): boolean =>
  retentionOf(set).whenScaled === 'Delete' && namesStale(pod, claim);

/** Whose going takes the claim along: the pod's, if it is scaled away, the StatefulSet's, or nobody's (W-136). */
const ownerFor = (set: Workload, pod: Pod, isScaledAway: boolean): ApiObject | undefined => {
  const { whenDeleted, whenScaled } = retentionOf(set);
  if (whenScaled === 'Delete' && isScaledAway) return pod;
  return whenDeleted === 'Delete' ? set : undefined;
};

const withReferences = (claim: ApiObject, references: readonly OwnerReference[]): ApiObject => {
  const { ownerReferences: _before, ...metadata } = claim.metadata;
  return {
    ...claim,
    metadata: references.length === 0 ? metadata : { ...metadata, ownerReferences: references },
  };
};

/** Whether somebody else controls the claim: the StatefulSet then owns nothing of it (W-138). */
export const hasOtherController = (set: Workload, pod: Pod, claim: ApiObject): boolean =>
  referencesOf(claim).some(
    (reference) => reference.controller === true && !names(set, reference) && !names(pod, reference),
  );

/**
 * The claim with the owner that the retention policy asks for; the same object if it has it (W-136, W-138). A claim of an earlier StatefulSet
 * or pod of that name is left alone: it goes with them.
 */
export const withRetention = <T extends ApiObject>(
  set: Workload,
  pod: Pod,
  claim: T,
  isScaledAway: boolean,
): T => {
  if (namesStale(set, claim) || namesStale(pod, claim)) return claim;
  const before = referencesOf(claim);
  const others = before.filter((reference) => !names(set, reference) && !names(pod, reference));
  const owner = hasOtherController(set, pod, claim) ? undefined : ownerFor(set, pod, isScaledAway);
  const kept =
    owner && before.find(({ uid, controller }) => uid === owner.metadata.uid && controller === true);
  const after = owner ? [...others, kept ?? controllerReference(owner)] : others;
  const isKept = after.length === before.length && after.every((one) => before.includes(one));
  return isKept ? claim : (withReferences(claim, after) as T);
};
