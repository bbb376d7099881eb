/** Admission: defaults added to new objects, and restrictions on writes of nodes. */
import { forbidden } from '../../kube/errors/status-error.ts';
import type { Node, Pod, Taint } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { PriorityClass } from '../../kube/types/scheduling.ts';
import { TAINT_NOT_READY } from '../../kube/types/well-known.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { MACHINE_ANNOTATION } from '../../rules/cloud/machine-annotation.ts';
import { withStoredLifecycle } from '../../rules/drain/lifecycle-conditions.ts';
import { defaultSecondsOf, storedSecondsOf } from '../../rules/pod-admission/default-seconds.ts';
import { addDefaultTolerations } from '../../rules/pod-admission/default-tolerations.ts';
import { keepPriority, withPriority } from '../../rules/pod-admission/pod-priority.ts';
import type { AdmissionRequest, RestrictedRequest } from '../contract/admission-request.ts';
import type { ServedKind, Strategy } from '../contract/strategy.ts';
import { isAdmin, isBootstrapper, nodeNameOf, type User } from '../contract/user.ts';
import { restrictMirrorPrivileges } from './mirror-pods.ts';
import { TOKEN_RELEASED_ANNOTATION } from './node-annotations.ts';
import { restrictNodeUser } from './node-restriction.ts';
import { annotationFault } from './node-restriction-annotations.ts';
import { forbiddenLabels } from './node-restriction-labels.ts';

const NOT_READY: Taint = { key: TAINT_NOT_READY, effect: 'NoSchedule' };

interface CidrSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
}

/**
 * Taints a new Node so that it gets no pods before it reports ready. Source: kubernetes v1.34 admission plugin
 * `TaintNodesByCondition`.
 */
const addNotReadyTaint = (node: Node): Node => {
  const taints = node.spec?.taints ?? [];
  const isThere = taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect);
  return isThere ? node : { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY] } };
};

/** Only administrators may set the annotation that releases a node's token: that of other users is ignored. */
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

/** A machine does not say that it is maintained or drained: what a node or a bootstrapper writes of that is ignored. */
const keepLifecycle = (user: User, node: Node, before: Node | undefined): Node =>
  nodeNameOf(user) !== undefined || isBootstrapper(user) ? withStoredLifecycle(node, before) : node;

/** Admission of a Node: keeps the release annotation and, of a node's own writes, the conditions of its maintenance and drain, and taints a new Node as not ready. */
export const admitNode = (request: AdmissionRequest<Node>): Node => {
  const node = keepLifecycle(request.user, keepRelease(request), request.before);
  return request.operation === 'create' ? addNotReadyTaint(node) : node;
};

/** What the plugins that the settings name do to pods. */
export interface PodPlugins {
  /** Throws 403. */
  addTolerations(pod: Pod, request: AdmissionRequest<Pod>): Pod;
  /** Looks at the pod as it is at last. Throws 403. */
  check(pod: Pod, request: AdmissionRequest<Pod>): void;
}

/** What admission of a new pod needs and has read before. */
export interface PodAdmission {
  /** Adds what the pod's service account asks for. Throws 403. */
  readonly addAccount: (pod: Pod) => Pod;
  /** The class that the pod names, else the default one. */
  readonly priorityClass: PriorityClass | undefined;
  /** Adds what the pod's RuntimeClass asks for. Throws 403. Absent for a pod that has nothing to do with one. */
  readonly addRuntimeClass?: (pod: Pod) => Pod;
  readonly plugins: PodPlugins | undefined;
}

/** Sets the pod's priority from its class. Throws 403. */
const addPriority = (pod: Pod, priorityClass: PriorityClass | undefined): Pod => {
  const given = withPriority(pod, priorityClass);
  if ('fault' in given) throw forbidden({ resource: 'pods', name: pod.metadata.name }, given.fault);
  return given.pod;
};

const withTolerations = (request: AdmissionRequest<Pod>, plugins: PodPlugins | undefined): Pod => {
  const { object, operation, before, namespace, config } = request;
  const seconds =
    operation === 'create'
      ? defaultSecondsOf(namespace, config.defaultTolerationSeconds)
      : storedSecondsOf(before, config.defaultTolerationSeconds);
  const tolerant = addDefaultTolerations(object, seconds);
  return plugins ? plugins.addTolerations(tolerant, request) : tolerant;
};

/**
 * Admission of a pod's update: adds tolerations, and keeps the stored priority. Deletions and subresources pass
 * unchanged. Throws 403.
 */
export const admitPod = (request: AdmissionRequest<Pod>, plugins?: PodPlugins): Pod => {
  const { object, operation, subresource, before } = request;
  if (subresource !== '' || operation === 'delete') return object;
  const pod = withTolerations(request, plugins);
  plugins?.check(pod, request);
  return keepPriority(pod, before);
};

/**
 * Admission of a new pod: adds service account, priority, tolerations and what its RuntimeClass asks for, in the order of
 * Kubernetes' plugins. Throws 403.
 */
export const admitNewPod = (
  request: AdmissionRequest<Pod>,
  { addAccount, priorityClass, addRuntimeClass, plugins }: PodAdmission,
): Pod => {
  const object = addPriority(addAccount(request.object), priorityClass);
  const tolerant = withTolerations({ ...request, object }, plugins);
  const pod = addRuntimeClass ? addRuntimeClass(tolerant) : tolerant;
  plugins?.check(pod, request);
  return pod;
};

const forbiddenPart = ({ metadata, spec }: Node): string | undefined => {
  const labels = forbiddenLabels(Object.keys(metadata.labels ?? {}));
  const { podCIDR, podCIDRs = [] } = (spec ?? {}) as CidrSpec;
  const annotations = annotationFault(Object.keys(metadata.annotations ?? {}));
  if (annotations !== undefined) return annotations;
  if (labels.length > 0) return `the following labels: ${labels.join(', ')}`;
  if (podCIDR || podCIDRs.length > 0) return 'podCIDR';
  if ((metadata.ownerReferences ?? []).length > 0) return 'ownerReferences';
  return (metadata.finalizers ?? []).length > 0 ? 'finalizers' : undefined;
};

/**
 * What a bootstrapper may register: what NodeRestriction lets a kubelet create, without the fields that controllers decide by.
 * Throws 403 if a bootstrapper registers a Node with fields that a machine may not set; other users pass.
 */
const restrictBootstrapper = (
  { group, resource }: Pick<ServedKind, 'group' | 'resource'>,
  { user, object }: RestrictedRequest,
): void => {
  if (group !== '' || resource !== 'nodes' || !isBootstrapper(user)) return;
  const part = forbiddenPart(object);
  const { name } = object.metadata;
  if (part !== undefined)
    throw forbidden(
      { resource, name },
      `user "${user.name}" is not allowed to register node "${name}" with ${part}`,
    );
};

/** Throws 403 if anybody but an administrator writes which machine a Node surely has: others would have another machine switched off. */
const restrictMachine = (
  { group, resource }: Pick<ServedKind, 'group' | 'resource'>,
  { user, operation, object, before }: RestrictedRequest,
): void => {
  if (group !== '' || resource !== 'nodes' || operation === 'delete' || isAdmin(user)) return;
  const { name, annotations } = object.metadata;
  if (annotations?.[MACHINE_ANNOTATION] !== before?.metadata.annotations?.[MACHINE_ANNOTATION])
    throw forbidden(
      { resource, name },
      `only administrators set metadata.annotations[${MACHINE_ANNOTATION}]`,
    );
};

/**
 * Restrictions that apply to every kind: NodeRestriction, and the rules for mirror pods, bootstrappers and machines. Throws
 * 403.
 */
export const restrict = (kind: Pick<ServedKind, 'group' | 'resource'>, request: RestrictedRequest): void => {
  if (kind.group === '' && kind.resource === 'pods' && request.operation === 'create')
    if (request.subresource === '') restrictMirrorPrivileges(request.object as Pod);
  restrictNodeUser(kind, request);
  restrictBootstrapper(kind, request);
  restrictMachine(kind, request);
};

/** Runs all of admission and returns the object that is to be stored. Throws 403. */
export const admitObject = <T extends ApiObject>(strategy: Strategy<T>, request: AdmissionRequest<T>): T => {
  restrict(strategy.kind, request);
  return strategy.admit(request);
};
