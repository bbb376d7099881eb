/**
 * Compares the kind of a body with the kind that is served. Source: apimachinery v1.34 `runtime`, apiserver
 * `rest.go`.
 */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import { messageOf } from '../../kube/schema/messages.ts';

/** apiVersion and kind of an object. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Groups whose protobuf messages have another package name, with the versions that Kubernetes still reads besides
 * v1.
 */
const GROUPS: Readonly<Record<string, readonly [message: string, older: readonly string[]]>> = {
  '': ['core', []],
  apps: ['apps', ['v1beta1', 'v1beta2']],
  'authentication.k8s.io': ['authentication', ['v1alpha1', 'v1beta1']],
  'authorization.k8s.io': ['authorization', ['v1beta1']],
  autoscaling: ['autoscaling', []],
  'coordination.k8s.io': ['coordination', ['v1alpha2', 'v1beta1']],
  'events.k8s.io': ['events', ['v1beta1']],
  'node.k8s.io': ['node', ['v1alpha1', 'v1beta1']],
  policy: ['policy', ['v1beta1']],
  'scheduling.k8s.io': ['scheduling', ['v1alpha1', 'v1beta1']],
  'storage.k8s.io': ['storage', ['v1alpha1', 'v1beta1']],
};

const OPTIONS = /^(Create|Delete|Get|List|Patch|Update)Options$|^WatchEvent$/;
/** Kinds of the core group that Kubernetes has and that have no message here. */
const OTHERS =
  /^(ComponentStatus|Endpoints|LimitRange|PersistentVolume|PodTemplate|ReplicationController|ResourceQuota|Status)(List)?$/;

const groupVersion = (apiVersion: string): readonly [group: string, version: string] => {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? ['', first] : [first, second];
};

const isObject = (message: string): boolean => messageOf(message)?.[0]?.name === 'metadata';

/** Whether Kubernetes has such a kind, whether or not it is served here. */
const isRegistered = ({ kind, apiVersion }: TypeMeta): boolean => {
  const [group, version] = groupVersion(apiVersion);
  const [message, older] = (Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined) ?? ['', []];
  if (message === '' || !['v1', ...older].includes(version)) return false;
  const objects = [kind, kind.replace(/List$/, '')].map((name) => `${message}.v1.${name}`);
  return OPTIONS.test(kind) || objects.some(isObject) || (group === '' && OTHERS.test(kind));
};

/** Whether options such as `DeleteOptions` may have this `apiVersion`: Kubernetes registers them in each group. */
export const hasOptions = (kind: string, apiVersion: string): boolean =>
  apiVersion === '' || apiVersion === 'meta.k8s.io/v1' || isRegistered({ kind, apiVersion });

// Kubernetes has one internal kind for the Events of both groups.
const homeOf = (group: string): string => (group === 'events.k8s.io' ? '' : group);

const internalName = ({ group, kind }: ServedKind): string =>
  `${homeOf(group) === '' ? 'core' : group.split('.')[0]}.${kind}`;

const kindFault = (given: TypeMeta, served: ServedKind): string | undefined => {
  const [group, version] = groupVersion(given.apiVersion);
  if (!isRegistered(given) && given.apiVersion !== apiVersionOf(served))
    return `no kind "${given.kind}" is registered for version "${given.apiVersion}" in scheme "rollcall"`;
  if (given.kind === served.kind && homeOf(group) === homeOf(served.group)) return undefined;
  return isRegistered(given)
    ? `converting (${version}.${given.kind}) to (${internalName(served)}): unknown conversion`
    : `no kind "${given.kind}" is registered for version "${given.apiVersion}" in scheme "rollcall"`;
};

/** The kind of a body, with missing parts taken from the kind that is served. */
export const withDefaults = ({ kind, apiVersion }: TypeMeta, served: ServedKind): TypeMeta => ({
  kind: kind || served.kind,
  apiVersion: apiVersion === '' || apiVersion === '/' ? apiVersionOf(served) : apiVersion,
});

/** Kubernetes' message for a body of kind `given` if `served` is expected. */
export const notHandled = ({ kind, apiVersion }: TypeMeta, served: ServedKind, why: string): string =>
  `${kind} in version "${groupVersion(apiVersion)[1]}" cannot be handled as a ${served.kind}: ${why}`;

/** Throws 400 for a body of another kind. */
export const checkKind = (given: TypeMeta, served: ServedKind): void => {
  const fault = kindFault(given, served);
  if (fault !== undefined) throw badRequest(notHandled(given, served, fault));
};

/** Throws 400 for a body of the right kind in another version than the served one. */
export const checkVersion = ({ apiVersion }: TypeMeta, served: ServedKind): void => {
  const expected = apiVersionOf(served);
  const accepted = [expected, ...(served.alsoAccepts ?? [])];
  if (!accepted.includes(apiVersion))
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
};
