/** What is added to objects on their way in, and what nodes may not do. */
import type { Node, Pod, Taint } from '../api/core.ts';
import type { ApiObject } from '../api/meta.ts';
import type { PriorityClass } from '../api/scheduling.ts';
import { forbidden } from '../api/status-error.ts';
import { TAINT_NOT_READY } from '../api/well-known.ts';
import { addDefaultTolerations } from '../domain/default-tolerations.ts';
import { keepPriority, withPriority } from '../domain/pod-priority.ts';
import type { IdSource } from '../ports/id-source.ts';
import { restrictNodeUser } from './node-restriction.ts';
import { addServiceAccount } from './service-account.ts';
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

/** What admission of a new pod has read and drawn beforehand. */
export interface PodAdmission {
  /** The class that the pod names, else the default one. */
  readonly priorityClass: PriorityClass | undefined;
  readonly ids: IdSource;
  /** uid of the Node that a mirror pod stands on. */
  readonly nodeUid?: string;
}

// A token that names no Node says by its user's name which one it is.
const asNode = (request: AdmissionRequest<Pod>, nodeUid: string | undefined): AdmissionRequest<Pod> => {
  const { user } = request;
  return nodeUid === undefined || user.nodeUid !== undefined
    ? request
    : { ...request, user: { ...user, nodeUid } };
};

/** Throws 403. */
const addPriority = (pod: Pod, priorityClass: PriorityClass | undefined): Pod => {
  const given = withPriority(pod, priorityClass);
  if ('fault' in given) throw forbidden({ resource: 'pods', name: pod.metadata.name }, given.fault);
  return given.pod;
};

/** Throws 403. */
export const admitPod = (request: AdmissionRequest<Pod>): Pod => {
  restrictNodeUser('pods', request);
  const { object, operation, subresource, before, config } = request;
  if (subresource !== '' || operation === 'delete') return object;
  const tolerant = addDefaultTolerations(object, config.defaultTolerationSeconds);
  return operation === 'update' ? keepPriority(tolerant, before) : tolerant;
};

/** Throws 403. */
export const admitNewPod = (request: AdmissionRequest<Pod>, admission: PodAdmission): Pod => {
  const { priorityClass, ids, nodeUid } = admission;
  return addServiceAccount(addPriority(admitPod(asNode(request, nodeUid)), priorityClass), ids);
};
