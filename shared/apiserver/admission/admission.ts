/** What is added to objects on their way in, and what nodes may not do. */
import type { Node, Pod, Taint } from '../../api/core.ts';
import type { ApiObject } from '../../api/meta.ts';
import type { PriorityClass } from '../../api/scheduling.ts';
import { forbidden } from '../../api/status-error.ts';
import { TAINT_NOT_READY } from '../../api/well-known.ts';
import { addDefaultTolerations } from '../../domain/pods/default-tolerations.ts';
import { keepPriority, withPriority } from '../../domain/pods/pod-priority.ts';
import type { IdSource } from '../../ports/id-source.ts';
import { isAdmin } from '../access/user.ts';
import type { ServedKind, Strategy } from '../strategy.ts';
import type { AdmissionRequest, RestrictedRequest } from './admission-request.ts';
import { restrictBootstrapper } from './bootstrap-restriction.ts';
import { restrictMirrorPrivileges } from './mirror-pods.ts';
import { TOKEN_RELEASED_ANNOTATION, withAnnotation } from './node-annotations.ts';
import { restrictNodeUser } from './node-restriction.ts';
import { addServiceAccount } from './service-account.ts';

const NOT_READY: Taint = { key: TAINT_NOT_READY, effect: 'NoSchedule' };

/** A new Node takes no pods until it has reported. Source: kubernetes v1.34 admission plugin `TaintNodesByCondition`. */
const addNotReadyTaint = (node: Node): Node => {
  const taints = node.spec?.taints ?? [];
  const isThere = taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect);
  return isThere ? node : { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY] } };
};

/** Only administrators release a node's token: what others write of it is ignored. */
const keepRelease = ({ user, object, before }: AdmissionRequest<Node>): Node =>
  isAdmin(user)
    ? object
    : {
        ...object,
        metadata: withAnnotation(
          object.metadata,
          TOKEN_RELEASED_ANNOTATION,
          before?.metadata.annotations?.[TOKEN_RELEASED_ANNOTATION],
        ),
      };

export const admitNode = (request: AdmissionRequest<Node>): Node => {
  const node = keepRelease(request);
  return request.operation === 'create' ? addNotReadyTaint(node) : node;
};

/** What admission of a new pod has read and drawn beforehand. */
export interface PodAdmission {
  /** The class that the pod names, else the default one. */
  readonly priorityClass: PriorityClass | undefined;
  readonly ids: IdSource;
}

/** Throws 403. */
const addPriority = (pod: Pod, priorityClass: PriorityClass | undefined): Pod => {
  const given = withPriority(pod, priorityClass);
  if ('fault' in given) throw forbidden({ resource: 'pods', name: pod.metadata.name }, given.fault);
  return given.pod;
};

export const admitPod = (request: AdmissionRequest<Pod>): Pod => {
  const { object, operation, subresource, before, config } = request;
  if (subresource !== '' || operation === 'delete') return object;
  const tolerant = addDefaultTolerations(object, config.defaultTolerationSeconds);
  return operation === 'update' ? keepPriority(tolerant, before) : tolerant;
};

/** Throws 403. */
export const admitNewPod = (request: AdmissionRequest<Pod>, { priorityClass, ids }: PodAdmission): Pod =>
  addServiceAccount(addPriority(admitPod(request), priorityClass), ids);

/** What no kind decides for itself: who may send this, whatever the object becomes. Throws 403. */
export const restrict = (kind: Pick<ServedKind, 'group' | 'resource'>, request: RestrictedRequest): void => {
  if (kind.group === '' && kind.resource === 'pods' && request.operation === 'create')
    if (request.subresource === '') restrictMirrorPrivileges(request.object as Pod);
  restrictNodeUser(kind, request);
  restrictBootstrapper(kind, request);
};

/** The object as admission lets it in. Throws 403. */
export const admitObject = <T extends ApiObject>(strategy: Strategy<T>, request: AdmissionRequest<T>): T => {
  restrict(strategy.kind, request);
  return strategy.admit(request);
};
