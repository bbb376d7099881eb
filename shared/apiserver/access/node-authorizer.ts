/**
 * What a node may request; admission restricts it further. Source: kubernetes v1.34
 * `plugin/pkg/auth/authorizer/node`.
 */

import type { PodReferences } from '../../kinds/admission/pod-references.ts';
import { refersTo } from '../../kinds/admission/pod-references.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import { demandedValue, parseFieldSelector, SelectorError } from '../../kube/selector/field-selector.ts';
import { NODE_LEASE_NAMESPACE } from '../../kube/types/well-known.ts';
import type { Access, AccessFacts, ResourceAccess } from './access.ts';
import { ALLOW, NO_OPINION } from './access.ts';
import { NODE_RULES } from './node-rules.ts';
import { allowsResource } from './policy.ts';

type Rule = (self: string, access: ResourceAccess, facts: AccessFacts) => Access | Promise<Access>;

const because = (why: string): Access => ({ decision: 'noOpinion', why });

const unrelated = (self: string): Access =>
  because(`no relationship found between node '${self}' and this object`);

const demandedBySelector = (selector: string, path: string): string | undefined => {
  try {
    return demandedValue(parseFieldSelector(selector), path);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
};

const mayRead = (self: string, name: string): Access => {
  if (name === self) return ALLOW;
  const what = name === '' ? 'all nodes' : `'${name}'`;
  return because(`node '${self}' cannot read ${what}, only its own Node object`);
};

const nodeAccess: Rule = (self, { verb, subresource, name }) => {
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? ALLOW : NO_OPINION;
  if (subresource === 'explain') return verb === 'get' ? mayRead(self, name) : NO_OPINION;
  if (subresource !== '') return NO_OPINION;
  if (['create', 'update', 'patch'].includes(verb)) return ALLOW;
  return ['get', 'list', 'watch'].includes(verb) ? mayRead(self, name) : NO_OPINION;
};

const POD_SUBRESOURCE_VERBS: Readonly<Record<string, readonly string[]>> = {
  '': ['create', 'delete'],
  status: ['update', 'patch'],
  eviction: ['create'],
};

const isOnNode = async (
  self: string,
  namespace: string,
  name: string,
  { nodeOfPod }: AccessFacts,
): Promise<Access> => ((await nodeOfPod(namespace, name)) === self ? ALLOW : unrelated(self));

const podAccess: Rule = async (self, { verb, subresource, namespace, name }, facts) => {
  if (ownMember(POD_SUBRESOURCE_VERBS, subresource)?.includes(verb)) return ALLOW;
  if (subresource === 'explain' && verb === 'get') return isOnNode(self, namespace, name, facts);
  if (subresource !== '') return NO_OPINION;
  if (verb === 'list' || verb === 'watch')
    return demandedBySelector(facts.fieldSelector, 'spec.nodeName') === self
      ? ALLOW
      : because('can only list/watch pods with spec.nodeName field selector');
  if (verb !== 'get') return NO_OPINION;
  if (name === '') return because('No Object name found');
  return isOnNode(self, namespace, name, facts);
};

/** Allows the access if a pod of the node refers to the object. */
const throughPods = async (
  self: string,
  { namespace, name }: ResourceAccess,
  { podsOfNode }: AccessFacts,
  namesOf: (references: PodReferences) => ReadonlySet<string>,
): Promise<Access> => {
  if (name === '') return because('No Object name found');
  const pods = await podsOfNode(self);
  return refersTo(pods, namespace, (references) => namesOf(references).has(name)) ? ALLOW : unrelated(self);
};

/** Reads of Secrets and ConfigMaps. */
const readAccess =
  (namesOf: (references: PodReferences) => ReadonlySet<string>): Rule =>
  (self, access, facts) => {
    if (!['get', 'list', 'watch'].includes(access.verb))
      return because('can only read resources of this type');
    if (access.subresource !== '') return because('cannot read subresource');
    if (access.namespace === '') return because('can only read namespaced object of this type');
    return throughPods(self, access, facts, namesOf);
  };

const claimAccess: Rule = (self, access, facts) => {
  if (access.subresource === 'status' && !['update', 'patch'].includes(access.verb))
    return because('can only get/update/patch this type');
  if (access.subresource === '' && access.verb !== 'get')
    return because('can only get individual resources of this type');
  if (!['', 'status'].includes(access.subresource)) return because('cannot get subresource');
  return throughPods(self, access, facts, ({ claims }) => claims);
};

const accountNames = ({ serviceAccount }: PodReferences): ReadonlySet<string> =>
  new Set(serviceAccount === undefined ? [] : [serviceAccount]);

const serviceAccountAccess: Rule = (self, access, facts) => {
  if (access.verb === 'get' && access.subresource === '')
    return throughPods(self, access, facts, accountNames);
  if (access.verb !== 'create' || access.name === '')
    return because('can only create tokens for individual service accounts');
  if (access.subresource !== 'token') return because('can only create token subresource of serviceaccount');
  return throughPods(self, access, facts, accountNames);
};

const attachmentAccess: Rule = async (self, { verb, subresource, name }, { nodeOfAttachment }) => {
  if (verb !== 'get') return because('can only get individual resources of this type');
  if (subresource !== '') return because('cannot get subresource');
  if (name === '') return because('No Object name found');
  return (await nodeOfAttachment(name)) === self ? ALLOW : unrelated(self);
};

const OWN_VERBS: readonly string[] = ['get', 'create', 'update', 'patch', 'delete'];

// On a create the name is in the body, which admission checks.
const isOwn = (self: string, { verb, name }: ResourceAccess): boolean => verb === 'create' || name === self;

const leaseAccess: Rule = (self, access) => {
  if (!OWN_VERBS.includes(access.verb))
    return because('can only get, create, update, patch, or delete a node lease');
  if (access.namespace !== NODE_LEASE_NAMESPACE)
    return because(`can only access leases in the "${NODE_LEASE_NAMESPACE}" system namespace`);
  return isOwn(self, access)
    ? ALLOW
    : because('can only access node lease with the same name as the requesting node');
};

const csiNodeAccess: Rule = (self, access) => {
  if (!OWN_VERBS.includes(access.verb))
    return because('can only get, create, update, patch, or delete a CSINode');
  if (access.subresource !== '') return because('cannot authorize CSINode subresources');
  return isOwn(self, access)
    ? ALLOW
    : because('can only access CSINode with the same name as the requesting node');
};

const OWN_ENDPOINTS: Readonly<Record<string, readonly string[]>> = {
  channel: ['get'],
  heartbeat: ['create'],
  shutdown: ['create', 'delete'],
  token: ['create'],
  work: ['get', 'create'],
};

const ownEndpoint: Rule = (self, { verb, subresource, name }) => {
  if (ownMember(OWN_ENDPOINTS, subresource)?.includes(verb) !== true) return NO_OPINION;
  return name === self ? ALLOW : because(`node '${self}' can only use its own ${subresource}`);
};

const RULES: Readonly<Record<string, Rule>> = {
  '/nodes': nodeAccess,
  '/pods': podAccess,
  '/secrets': readAccess(({ secrets }) => secrets),
  '/configmaps': readAccess(({ configMaps }) => configMaps),
  '/persistentvolumeclaims': claimAccess,
  '/serviceaccounts': serviceAccountAccess,
  'coordination.k8s.io/leases': leaseAccess,
  'storage.k8s.io/csinodes': csiNodeAccess,
  'storage.k8s.io/volumeattachments': attachmentAccess,
  'rollcall.dev/nodes': ownEndpoint,
};

/** Decides whether node `self` has this access. */
export const decideNodeAccess = async (
  self: string,
  access: ResourceAccess,
  facts: AccessFacts,
): Promise<Access> => {
  if (self === '') return because('unknown node for user "system:node:"');
  const key = `${access.group}/${access.resource}`;
  const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined;
  if (rule) return rule(self, access, facts);
  return NODE_RULES.some((one) => allowsResource(one, access)) ? ALLOW : NO_OPINION;
};
