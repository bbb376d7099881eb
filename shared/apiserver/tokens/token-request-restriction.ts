/** Restricts a node to tokens for its own pods. Source: kubernetes v1.34 `noderestriction`. */

import type { User } from '../../kinds/contract/user.ts';
import { nodeNameOf } from '../../kinds/contract/user.ts';
import { forbidden } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { AccountName } from '../contract/service-accounts.ts';

/** The spec of a TokenRequest, as admission reads it. */
export interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly boundObjectRef?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly uid?: string;
  };
}

interface ProjectedSource {
  readonly serviceAccountToken?: { readonly audience?: string };
}

interface Volume {
  readonly projected?: { readonly sources?: readonly ProjectedSource[] };
}

const projectsAudience = ({ spec }: Pod, audience: string): boolean =>
  ((spec['volumes'] ?? []) as readonly Volume[])
    .flatMap(({ projected }) => projected?.sources ?? [])
    .some(({ serviceAccountToken: token }) => token && (token.audience ?? '') === audience);

const audienceFault = (pod: Pod, audiences: readonly string[]): string | undefined => {
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences';
  const [audience = ''] = audiences;
  return projectsAudience(pod, audience)
    ? undefined
    : `audience ${JSON.stringify(audience)} not found in pod spec volume`;
};

const bindingFault = ({ boundObjectRef: bound }: TokenRequestSpec): string | undefined => {
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    return 'node requested token not bound to a pod';
  return bound.uid ? undefined : 'node requested token with a pod binding without a uid';
};

const podFault = (self: string, { boundObjectRef, audiences = [] }: TokenRequestSpec, pod: Pod) => {
  if (boundObjectRef?.uid !== pod.metadata.uid)
    return `the UID in the bound object reference (${boundObjectRef?.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  return pod.spec.nodeName === self
    ? audienceFault(pod, audiences)
    : 'node requested token bound to a pod scheduled on a different node';
};

/**
 * Throws 403 if the user is a node and the token is not for a pod that it runs. `pod` is the pod that the
 * token is to be bound to; for `undefined` the caller answers 404.
 */
export const restrictTokenRequest = (
  user: User,
  { name }: AccountName,
  spec: TokenRequestSpec,
  pod: Pod | undefined,
): void => {
  const self = nodeNameOf(user);
  if (self === undefined) return;
  const fault = bindingFault(spec) ?? (pod ? podFault(self, spec, pod) : undefined);
  if (fault) throw forbidden({ resource: 'serviceaccounts', name }, fault);
};
