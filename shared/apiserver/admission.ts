/** What is added to objects on their way in, and what nodes may not do. */
import type { Node, Pod, Taint } from '../api/core.ts';
import type { ApiObject } from '../api/meta.ts';
import { TAINT_NOT_READY } from '../api/well-known.ts';
import { addDefaultTolerations } from '../domain/default-tolerations.ts';
import { isMirrorPod } from './mirror-pods.ts';
import { restrictNodeUser } from './node-restriction.ts';
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

/** Throws 403. */
export const admitNode = (request: AdmissionRequest<Node>): Node => {
  restrictNodeUser('nodes', request);
  return request.operation === 'create' ? addNotReadyTaint(request.object) : request.object;
};

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

/** Throws 403. */
export const admitPod = (request: AdmissionRequest<Pod>): Pod => {
  restrictNodeUser('pods', request);
  const { object, operation, subresource, config } = request;
  if (subresource !== '' || operation === 'delete') return object;
  const tolerant = addDefaultTolerations(object, config.defaultTolerationSeconds);
  return operation === 'create' ? addServiceAccount(addPriority(tolerant)) : tolerant;
};
