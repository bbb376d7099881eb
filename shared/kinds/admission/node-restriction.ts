/** Restricts what a node may write. Source: kubernetes v1.34 `plugin/pkg/admission/noderestriction`. */

import { forbidden, unauthorized } from '../../kube/errors/status-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Node, Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { isCordoned } from '../../rules/drain/drain-annotations.ts';
import type { RestrictedRequest } from '../contract/admission-request.ts';
import type { ServedKind } from '../contract/strategy.ts';
import type { User } from '../contract/user.ts';
import { nodeNameOf } from '../contract/user.ts';
import { restrictMirrorPod } from './mirror-pods.ts';
import { annotationFault } from './node-restriction-annotations.ts';
import { forbiddenLabels } from './node-restriction-labels.ts';

type Subject = Pick<ServedKind, 'group' | 'resource'>;

const NODES: Subject = { group: '', resource: 'nodes' };
const PODS: Subject = { group: '', resource: 'pods' };

const refuse = ({ group, resource }: Subject, name: string, why: string): never => {
  throw forbidden({ group, resource, name }, why);
};

/**
 * Throws 401 when the user's token was issued for a Node with another uid than `node`: one of the same name that
 * was deleted.
 */
export const checkNodeToken = (user: User, node: ApiObject | undefined): void => {
  if (user.nodeUid === undefined || user.nodeUid === node?.metadata.uid) return;
  throw unauthorized(
    'Unauthorized: the Node that this token was made for was deleted; register again and get a new token',
  );
};

const refuseNode = (self: string, what: string): never =>
  refuse(NODES, self, `node "${self}" is not allowed to ${what}`);

type Texts = Readonly<Record<string, string>>;

const changedKeys = (now: Texts = {}, was: Texts = {}): readonly string[] =>
  [...new Set([...Object.keys(now), ...Object.keys(was)])].filter((key) => now[key] !== was[key]);

const configSourceOf = (node: Node): unknown =>
  (node.spec as { readonly configSource?: unknown } | undefined)?.configSource;

const restrictCreate = (self: string, node: Node): void => {
  const labels = forbiddenLabels(Object.keys(node.metadata.labels ?? {}));
  // "pods" is Kubernetes' own slip.
  if (configSourceOf(node) !== undefined) refuseNode(self, 'create pods with a non-nil configSource');
  if (labels.length > 0) refuseNode(self, `set the following labels: ${labels.join(', ')}`);
};

const restrictUpdate = (self: string, after: Node, before: Node): void => {
  const labels = forbiddenLabels(changedKeys(after.metadata.labels, before.metadata.labels));
  if (configSourceOf(after) !== undefined && !deepEqual(configSourceOf(after), configSourceOf(before)))
    refuseNode(self, 'update configSource to a new non-nil configSource');
  if (!deepEqual(after.spec?.taints ?? [], before.spec?.taints ?? [])) refuseNode(self, 'modify taints');
  // A kubelet sets it when it registers, and never again: a cordon is the word of an operator or of a drain.
  if (isCordoned(after) !== isCordoned(before)) refuseNode(self, 'modify spec.unschedulable');
  if (!deepEqual(after.metadata.ownerReferences ?? [], before.metadata.ownerReferences ?? []))
    refuseNode(self, 'modify ownerReferences');
  if (labels.length > 0) refuse(NODES, self, `is not allowed to modify labels: ${labels.join(', ')}`);
};

const restrictAnnotations = (self: string, after: Node, before: Node | undefined): void => {
  const fault = annotationFault(changedKeys(after.metadata.annotations, before?.metadata.annotations));
  if (fault !== undefined) refuseNode(self, `set ${fault}`);
};

const restrictNode = (self: string, { user, operation, object, before }: RestrictedRequest<Node>): void => {
  const { name } = object.metadata;
  if (name !== self) refuse(NODES, name, `node "${self}" is not allowed to modify node "${name}"`);
  if (operation === 'create') restrictCreate(self, object);
  else checkNodeToken(user, before);
  if (before) restrictUpdate(self, object, before);
  restrictAnnotations(self, object, before);
};

const podStatusFault = (self: string, after: Pod, before: Pod | undefined): string | undefined => {
  if (before?.spec.nodeName !== self)
    return `node "${self}" can only update pod status for pods with spec.nodeName set to itself`;
  if (!deepEqual(after.metadata.labels ?? {}, before.metadata.labels ?? {}))
    return `node "${self}" cannot update labels through pod status`;
  const [now, was] = [after.status?.['resourceClaimStatuses'], before.status?.['resourceClaimStatuses']];
  // The typing error is Kubernetes' own.
  return deepEqual(now ?? [], was ?? []) ? undefined : `node "${self}" cannot update resource claim statues`;
};

const restrictPodStatus = (self: string, { object, before }: RestrictedRequest<Pod>): void => {
  const fault = podStatusFault(self, object, before);
  if (fault) refuse(PODS, object.metadata.name, fault);
};

/** `object` is the pod that is to be evicted. */
const restrictEviction = (self: string, { object }: RestrictedRequest<Pod>): void => {
  if (object.spec.nodeName !== self)
    refuse(PODS, object.metadata.name, `node ${self} can only evict pods with spec.nodeName set to itself`);
};

const restrictPodDeletion = (self: string, { object }: RestrictedRequest<Pod>): void => {
  if (object.spec.nodeName !== self)
    refuse(
      PODS,
      object.metadata.name,
      `node "${self}" can only delete pods with spec.nodeName set to itself`,
    );
};

const refuseOperation = (self: string, { operation, object }: RestrictedRequest<Pod>): never =>
  refuse(
    PODS,
    object.metadata.name,
    `unexpected operation "${operation.toUpperCase()}", node "${self}" can only create and delete mirror pods`,
  );

const restrictPodSubresource = (self: string, request: RestrictedRequest<Pod>): void => {
  const { subresource, object } = request;
  if (subresource === 'status') restrictPodStatus(self, request);
  else if (subresource === 'eviction') restrictEviction(self, request);
  else
    refuse(
      PODS,
      object.metadata.name,
      `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`,
    );
};

const restrictPod = (self: string, request: RestrictedRequest<Pod>): void => {
  const { operation, subresource, object, user } = request;
  if (subresource !== '') restrictPodSubresource(self, request);
  else if (operation === 'create') restrictMirrorPod(self, user.nodeUid, object);
  else if (operation === 'delete') restrictPodDeletion(self, request);
  else refuseOperation(self, request);
};

const restrictCsiNode = (self: string, { object }: RestrictedRequest): void => {
  if (object.metadata.name !== self)
    refuse(
      { group: 'storage.k8s.io', resource: 'csinodes' },
      object.metadata.name,
      'can only access CSINode with the same name as the requesting node',
    );
};

const CLAIMS: Subject = { group: '', resource: 'persistentvolumeclaims' };

/** Parts of a claim's status that report a volume's size after an expansion. */
const CLAIM_PARTS: ReadonlySet<string> = new Set([
  'capacity',
  'conditions',
  'allocatedResources',
  'allocatedResourceStatuses',
]);

const othersOf = ({ metadata, ...object }: ApiObject): object => {
  const { resourceVersion: _version, managedFields: _managed, ...rest } = metadata;
  const { status = {} } = object as { readonly status?: object };
  const fixed = Object.entries(status).filter(([part]) => !CLAIM_PARTS.has(part));
  return { ...object, metadata: rest, status: Object.fromEntries(fixed) };
};

const restrictClaim = (self: string, { subresource, object, before }: RestrictedRequest): void => {
  const { name } = object.metadata;
  if (subresource !== 'status') refuse(CLAIMS, name, 'may only update PVC status');
  if (!before || !deepEqual(othersOf(object), othersOf(before)))
    refuse(
      CLAIMS,
      name,
      `node "${self}" is not allowed to update fields other than status.quantity and status.conditions`,
    );
};

type Restrict = (self: string, request: RestrictedRequest) => void;

/** Leases are not here: their own endpoint checks them, since a renewal reads nothing. */
const RESTRICTIONS: Readonly<Record<string, Restrict>> = {
  '/nodes': restrictNode,
  '/pods': (self, request) => restrictPod(self, request as RestrictedRequest<Pod>),
  '/persistentvolumeclaims': restrictClaim,
  'storage.k8s.io/csinodes': restrictCsiNode,
};

/**
 * Throws 403 if the user is a node and the request writes something that is not the node's own; other users
 * pass.
 */
export const restrictNodeUser = (kind: Subject, request: RestrictedRequest): void => {
  const self = nodeNameOf(request.user);
  const key = `${kind.group}/${kind.resource}`;
  const restrict = Object.hasOwn(RESTRICTIONS, key) ? RESTRICTIONS[key] : undefined;
  if (self === undefined || !restrict) return;
  if (self === '')
    refuse(kind, request.object.metadata.name, `could not determine node from user "${request.user.name}"`);
  restrict(self, request);
};
