/** Authorization of requests. Source of the messages: apiserver v1.34 `responsewriters/errors.go`. */

import type { User } from '../../kinds/contract/user.ts';
import { nodeNameOf } from '../../kinds/contract/user.ts';
import type { StatusError } from '../../kube/errors/status-error.ts';
import { forbidden, forbiddenPath } from '../../kube/errors/status-error.ts';
import type { RequestInfo } from '../contract/request-info.ts';
import type { Access, AccessFacts, PathAccess, ResourceAccess } from './access.ts';
import { ALLOW, NO_OPINION } from './access.ts';
import { decideNodeAccess } from './node-authorizer.ts';
import { allowsPath, allowsResource, rulesOf } from './policy.ts';

/** Decides whether `user` has this access to a resource: by the rules of the user's groups, then by those for nodes. */
export const decideResourceAccess = async (
  user: User,
  access: ResourceAccess,
  facts: AccessFacts,
): Promise<Access> => {
  if (rulesOf(user).some((rule) => allowsResource(rule, access))) return ALLOW;
  const node = nodeNameOf(user);
  return node === undefined ? NO_OPINION : decideNodeAccess(node, access, facts);
};

/** Decides whether `user` may send a request to a path that is not a resource: by the rules of the user's groups. */
export const decidePathAccess = (user: User, access: PathAccess): Access =>
  rulesOf(user).some((rule) => allowsPath(rule, access)) ? ALLOW : NO_OPINION;

const scopeOf = ({ namespace }: ResourceAccess): string =>
  namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;

/** The 403 for an access that is not allowed; `why` is the reason that a rule gave. */
export const refusalOf = (user: User, access: ResourceAccess, why: string | undefined): StatusError => {
  const resource = access.subresource === '' ? access.resource : `${access.resource}/${access.subresource}`;
  const sentence = `User "${user.name}" cannot ${access.verb} resource "${resource}" in API group "${access.group}" ${scopeOf(access)}`;
  const subject = {
    resource: access.resource,
    group: access.group,
    ...(access.name === '' ? {} : { name: access.name }),
  };
  return forbidden(subject, why === undefined ? sentence : `${sentence}: ${why}`);
};

/** Throws 403 in Kubernetes' wording unless the user may send the request. */
export const authorize = async (user: User, info: RequestInfo, facts: AccessFacts): Promise<void> => {
  if (info.kind === 'path') {
    if (decidePathAccess(user, info).decision === 'allow') return;
    throw forbiddenPath(`User "${user.name}" cannot ${info.verb} path "${info.path}"`);
  }
  const access = await decideResourceAccess(user, info, facts);
  if (access.decision !== 'allow') throw refusalOf(user, info, access.why);
};
