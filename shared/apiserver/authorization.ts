/** Who may do what. Source of the wording: apiserver v1.34 `responsewriters/errors.go`. */
import type { StatusError } from '../api/status-error.ts';
import { forbidden, forbiddenPath } from '../api/status-error.ts';
import { GROUP_AUTHENTICATED } from '../api/well-known.ts';
import type { Access, AccessFacts } from './access.ts';
import { ALLOW, NO_OPINION } from './access.ts';
import { decideNodeAccess } from './node-authorizer.ts';
import type { RequestInfo, ResourceRequest } from './request-info.ts';
import type { User } from './user.ts';
import { isAdmin, isBootstrapper, isViewer, nodeNameOf } from './user.ts';

const HEALTH_PATH = /^\/(livez|readyz|healthz)(\/.*)?$/;
const DISCOVERY_PATH = /^\/(api|apis|openapi)(\/.*)?$/;

const isReading = (verb: string): boolean => ['get', 'list', 'watch', 'head'].includes(verb);

const allowsPath = (user: User, verb: string, path: string): boolean => {
  if (!isReading(verb)) return false;
  if (path === '/version' || path === '/version/' || HEALTH_PATH.test(path)) return true;
  return user.groups.includes(GROUP_AUTHENTICATED) && DISCOVERY_PATH.test(path);
};

const ROLLCALL_GROUP = 'rollcall.dev';

const allowsBootstrapper = ({ verb, group, resource, subresource }: ResourceRequest): boolean =>
  verb === 'create' &&
  resource === 'nodes' &&
  ((group === '' && subresource === '') || (group === ROLLCALL_GROUP && subresource === 'token'));

const resourceAccess = async (user: User, info: ResourceRequest, facts: AccessFacts): Promise<Access> => {
  if (isViewer(user) && isReading(info.verb)) return ALLOW;
  if (isBootstrapper(user) && allowsBootstrapper(info)) return ALLOW;
  const node = nodeNameOf(user);
  return node === undefined ? NO_OPINION : decideNodeAccess(node, info, facts);
};

const scopeOf = ({ namespace, resource }: ResourceRequest): string =>
  namespace === '' || resource === 'namespaces' ? 'at the cluster scope' : `in the namespace "${namespace}"`;

const refusalOf = (user: User, info: ResourceRequest, why: string | undefined): StatusError => {
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const sentence = `User "${user.name}" cannot ${info.verb} resource "${resource}" in API group "${info.group}" ${scopeOf(info)}`;
  const subject = {
    resource: info.resource,
    group: info.group,
    ...(info.name === '' ? {} : { name: info.name }),
  };
  return forbidden(subject, why === undefined ? sentence : `${sentence}: ${why}`);
};

/** Returns when the user may do it, else throws 403 in Kubernetes' wording. */
export const authorize = async (user: User, info: RequestInfo, facts: AccessFacts): Promise<void> => {
  if (isAdmin(user)) return;
  if (info.kind === 'path') {
    if (allowsPath(user, info.verb, info.path) || (isViewer(user) && isReading(info.verb))) return;
    throw forbiddenPath(`User "${user.name}" cannot ${info.verb} path "${info.path}"`);
  }
  const access = await resourceAccess(user, info, facts);
  if (access.decision !== 'allow') throw refusalOf(user, info, access.why);
};
