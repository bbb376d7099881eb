/** What is added to objects on their way in, and what nodes may not do. */
import type { Node, Pod, Taint } from '../api/core.ts';
import type { ApiObject } from '../api/meta.ts';
import { TAINT_NOT_READY } from '../api/well-known.ts';
import { addDefaultTolerations } from '../domain/default-tolerations.ts';
import { restrictMirrorPrivileges } from './mirror-pods.ts';
import { restrictNodeUser } from './node-restriction.ts';
import { isMirrorPod } from './pod-references.ts';
import type { ServedKind, Strategy } from './strategy.ts';
import type { User } from './user.ts';

export interface AdmissionRequest<T extends ApiObject = ApiObject> {
  readonly user: User;
  readonly operation: 'create' | 'update' | 'delete';
  /** `''` for the object itself. */
  readonly subresource: string;
  /** The object as the request wants it; for a deletion the object that is there. */
  readonly object: T;
  /** The object that is there. */
  readonly before?: T;
  readonly config: { readonly defaultTolerationSeconds: number };
}

const NOT_READY: Taint = { key: TAINT_NOT_READY, effect: 'NoSchedule' };

/** A new Node takes no pods until it has reported. Source: kubernetes v1.34 admission plugin `TaintNodesByCondition`. */
const addNotReadyTaint = (node: Node): Node => {
  const taints = node.spec?.taints ?? [];
  const isThere = taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect);
  return isThere ? node : { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY] } };
};

export const admitNode = ({ operation, object }: AdmissionRequest<Node>): Node =>
  operation === 'create' ? addNotReadyTaint(object) : object;

/** Without PriorityClasses every pod has the default priority. Source: kubernetes v1.34 admission plugin `Priority`. */
const addPriority = (pod: Pod): Pod => ({
  ...pod,
  spec: {
    ...pod.spec,
    priority: 0,
    preemptionPolicy: pod.spec['preemptionPolicy'] ?? 'PreemptLowerPriority',
  },
});

/** Mirror pods have no service account. Source: kubernetes v1.34 admission plugin `ServiceAccount`. */
const addServiceAccount = (pod: Pod): Pod =>
  isMirrorPod(pod)
    ? pod
    : { ...pod, spec: { serviceAccountName: 'default', serviceAccount: 'default', ...pod.spec } };

export const admitPod = (request: AdmissionRequest<Pod>): Pod => {
  const { object, operation, subresource, config } = request;
  if (subresource !== '' || operation === 'delete') return object;
  const tolerant = addDefaultTolerations(object, config.defaultTolerationSeconds);
  return operation === 'create' ? addServiceAccount(addPriority(tolerant)) : tolerant;
};

/** What no kind decides for itself: who may send this, whatever the object becomes. Throws 403. */
export const restrict = (kind: Pick<ServedKind, 'group' | 'resource'>, request: AdmissionRequest): void => {
  if (kind.group === '' && kind.resource === 'pods' && request.operation === 'create')
    if (request.subresource === '') restrictMirrorPrivileges(request.object as Pod);
  restrictNodeUser(kind, request);
};

/** The object as admission lets it in. Throws 403. */
export const admitObject = <T extends ApiObject>(strategy: Strategy<T>, request: AdmissionRequest<T>): T => {
  restrict(strategy.kind, request);
  return strategy.admit(request);
};
