/**
 * What a bootstrapper may register: what NodeRestriction lets a kubelet create, without the fields that
 * controllers decide by.
 */

import { forbidden } from '../../kube/errors/status-error.ts';
import type { Node } from '../../kube/types/core.ts';
import type { RestrictedRequest } from '../contract/admission-request.ts';
import type { ServedKind } from '../contract/strategy.ts';
import { isBootstrapper } from '../contract/user.ts';
import { annotationFault } from './node-restriction-annotations.ts';
import { forbiddenLabels } from './node-restriction-labels.ts';

interface CidrSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
}

const forbiddenPart = ({ metadata, spec }: Node): string | undefined => {
  const labels = forbiddenLabels(Object.keys(metadata.labels ?? {}));
  const { podCIDR, podCIDRs = [] } = (spec ?? {}) as CidrSpec;
  const annotations = annotationFault(Object.keys(metadata.annotations ?? {}));
  if (annotations !== undefined) return annotations;
  if (labels.length > 0) return `the following labels: ${labels.join(', ')}`;
  if (podCIDR || podCIDRs.length > 0) return 'podCIDR';
  if ((metadata.ownerReferences ?? []).length > 0) return 'ownerReferences';
  return (metadata.finalizers ?? []).length > 0 ? 'finalizers' : undefined;
};

/** Throws 403 if a bootstrapper registers a Node with fields that a machine may not set; other users pass. */
export const restrictBootstrapper = (
  { group, resource }: Pick<ServedKind, 'group' | 'resource'>,
  { user, object }: RestrictedRequest,
): void => {
  if (group !== '' || resource !== 'nodes' || !isBootstrapper(user)) return;
  const part = forbiddenPart(object);
  const { name } = object.metadata;
  if (part !== undefined)
    throw forbidden(
      { resource, name },
      `user "${user.name}" is not allowed to register node "${name}" with ${part}`,
    );
};
