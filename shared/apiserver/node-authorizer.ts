/** What a node may ask for at all; admission narrows it further. Source: kubernetes v1.34 `plugin/pkg/auth/authorizer/node`. */
import { demandedValue, parseFieldSelector, SelectorError } from '../api/selector/field-selector.ts';
import { NODE_LEASE_NAMESPACE } from '../api/well-known.ts';
import type { Access, AccessFacts } from './access.ts';
import { ALLOW, NO_OPINION } from './access.ts';
import type { ResourceRequest } from './request-info.ts';

const because = (why: string): Access => ({ decision: 'noOpinion', why });

const demandedBySelector = (query: URLSearchParams, path: string): string | undefined => {
  try {
    return demandedValue(parseFieldSelector(query.get('fieldSelector') ?? ''), path);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
};

const nodeAccess = (self: string, info: ResourceRequest, { query }: AccessFacts): Access => {
  if (info.subresource === 'status')
    return ['get', 'update', 'patch'].includes(info.verb) ? ALLOW : NO_OPINION;
  if (info.subresource !== '') return NO_OPINION;
  if (['create', 'update', 'patch'].includes(info.verb)) return ALLOW;
  if (!['get', 'list', 'watch'].includes(info.verb)) return NO_OPINION;
  const name = info.name === '' ? demandedBySelector(query, 'metadata.name') : info.name;
  if (name === self) return ALLOW;
  return because(
    name === undefined
      ? `node '${self}' cannot read all nodes, only its own Node object`
      : `node '${self}' cannot read '${name}', only its own Node object`,
  );
};

const podAccess = async (self: string, info: ResourceRequest, facts: AccessFacts): Promise<Access> => {
  const { verb, subresource } = info;
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? ALLOW : NO_OPINION;
  if (subresource === 'eviction') return verb === 'create' ? ALLOW : NO_OPINION;
  if (subresource !== '') return NO_OPINION;
  if (verb === 'create' || verb === 'delete') return ALLOW;
  if (verb === 'list' || verb === 'watch')
    return demandedBySelector(facts.query, 'spec.nodeName') === self
      ? ALLOW
      : because('can only list/watch pods with spec.nodeName field selector');
  if (verb !== 'get') return NO_OPINION;
  return (await facts.nodeOfPod(info.namespace, info.name)) === self
    ? ALLOW
    : because(`no relationship found between node '${self}' and this object`);
};

const leaseAccess = (self: string, info: ResourceRequest): Access => {
  if (!['get', 'create', 'update', 'patch', 'delete'].includes(info.verb))
    return because('can only get, create, update, patch, or delete a node lease');
  if (info.namespace !== NODE_LEASE_NAMESPACE)
    return because(`can only access leases in the "${NODE_LEASE_NAMESPACE}" system namespace`);
  // The name in a create's body is admission's to check.
  return info.verb === 'create' || info.name === self
    ? ALLOW
    : because('can only access node lease with the same name as the requesting node');
};

const ownEndpoint = (self: string, info: ResourceRequest): Access => {
  if (info.verb !== 'create' || !['heartbeat', 'token'].includes(info.subresource)) return NO_OPINION;
  return info.name === self ? ALLOW : because(`node '${self}' can only use its own ${info.subresource}`);
};

/** Whether node `self` may send this request. */
export const decideNodeAccess = async (
  self: string,
  info: ResourceRequest,
  facts: AccessFacts,
): Promise<Access> => {
  switch (`${info.group}/${info.resource}`) {
    case '/nodes':
      return nodeAccess(self, info, facts);
    case '/pods':
      return podAccess(self, info, facts);
    case '/events':
    case 'events.k8s.io/events':
      return ['create', 'update', 'patch'].includes(info.verb) ? ALLOW : NO_OPINION;
    case 'coordination.k8s.io/leases':
      return leaseAccess(self, info);
    case 'rollcall.dev/nodes':
      return ownEndpoint(self, info);
    default:
      return NO_OPINION;
  }
};
