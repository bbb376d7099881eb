/** The built-in namespaces, and the check whether a namespace takes new objects. */

import { notFound } from '../../kube/errors/status-error.ts';
import { NAMESPACES } from '../../kube/types/well-known.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import { type LiveRow, liveRow, namespaceKey } from '../../ports/store/rows.ts';
import { namespaceTerminating } from '../../store/writer/namespace-guard.ts';
import type { ServedKind } from '../contract/strategy.ts';

/** Whether the namespace exists from the start, such as `default`, and cannot be removed. */
export const isBuiltIn = (name: string): boolean => (NAMESPACES as readonly string[]).includes(name);

/** Where a new object is to be stored: its resource and namespace. */
interface Place extends Pick<ServedKind, 'group' | 'resource'> {
  /** `''` for cluster-scoped kinds. */
  readonly namespace: string;
}

/**
 * Resolves to the namespace of a new object; `undefined` for a built-in one that is not stored, or not read because nobody needs
 * it. Throws 404 when it does not exist, 403 when it is terminating. The object writer asks again after it has taken the number of
 * the write, so that no object outlives its namespace.
 */
export const checkNamespace = async (
  { resource, group, namespace }: Place,
  name: string,
  objects: ObjectStore,
  isNeeded = false,
): Promise<LiveRow | undefined> => {
  if (namespace === '' || (isBuiltIn(namespace) && !isNeeded)) return undefined;
  const row = liveRow(await objects.read(namespaceKey(namespace)));
  if (isBuiltIn(namespace)) return row;
  if (!row) throw notFound({ resource: 'namespaces', name: namespace });
  if (row.object.metadata.deletionTimestamp !== undefined)
    throw namespaceTerminating({ resource, group, name }, namespace);
  return row;
};
