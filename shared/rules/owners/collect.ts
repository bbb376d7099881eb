import type { Namespace, Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import { isReadyToGo, podGraceSeconds, withDeletion } from '../pods/deletion.ts';
import { withPropagation } from '../propagation.ts';
import type { PropagationPolicy } from './garbage.ts';

/** The next state of an object: another object, or none. `lastState`: what watchers see just before it goes. */
export interface Collected {
  readonly next: ApiObject | 'delete';
  readonly lastState?: ApiObject;
}

/** Namespaces that must not be deleted. Source: apiserver v1.34 admission plugin `NamespaceLifecycle`. */
export const IMMORTAL_NAMESPACES: readonly string[] = ['default', 'kube-public', 'kube-system'];

/** The namespace with the mark of its deletion. It goes when it is empty. */
export const markNamespaceDeleted = (namespace: Namespace, now: EpochMs): Namespace =>
  namespace.metadata.deletionTimestamp === undefined
    ? {
        ...namespace,
        metadata: { ...namespace.metadata, deletionTimestamp: toTime(now) },
        status: { ...namespace.status, phase: 'Terminating' },
      }
    : namespace;

const removed = (object: ApiObject, next: ApiObject, last: ApiObject): Collected => {
  if (!isReadyToGo(next)) return { next };
  return last === object ? { next: 'delete' } : { next: 'delete', lastState: last };
};

/**
 * What a DELETE with this policy makes of an object at `now` (ms), as the API server does it: a bound pod gets its grace period, finalizers
 * hold the object, a namespace is only marked. `undefined`: it must not be deleted.
 */
export const collected = (
  resource: string,
  object: ApiObject,
  policy: PropagationPolicy,
  now: EpochMs,
): Collected | undefined => {
  const wanted = withPropagation(object, { propagationPolicy: policy });
  if (resource === 'namespaces')
    return IMMORTAL_NAMESPACES.includes(object.metadata.name)
      ? undefined
      : { next: markNamespaceDeleted(wanted, now) };
  if (resource !== 'pods') return removed(object, withDeletion(wanted, 0, now), wanted);
  const next = withDeletion(wanted, podGraceSeconds(wanted as Pod), now);
  return removed(object, next, next);
};

const isEmptiedNamespace = (object: ApiObject): boolean =>
  ((object as Namespace).spec?.finalizers ?? []).length === 0;

/** What the removal of its last finalizer makes of an object that is being deleted: it goes, unless something else holds it. */
export const freed = (resource: string, object: ApiObject): Collected => {
  const isFree = isReadyToGo(object) && (resource !== 'namespaces' || isEmptiedNamespace(object));
  return { next: isFree ? 'delete' : object };
};
