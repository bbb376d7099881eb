/** Keeps objects from being created in a namespace that is being deleted, so that none outlives it. */

import {
  type ErrorSubject,
  forbidden,
  hasReason,
  notFound,
  StatusError,
} from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import { namespaceKey, type ObjectKey } from '../../ports/store/rows.ts';
import { IMMORTAL_NAMESPACES } from '../../rules/owners/collect.ts';

/** The 403 that refuses a new object in a namespace that is being deleted. Source: apiserver v1.34 `NamespaceLifecycle`. */
export const namespaceTerminating = (subject: ErrorSubject, namespace: string): StatusError => {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { message, details } = forbidden(subject, why);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError('Forbidden', message, { ...details, causes: [cause] });
};

const groupOf = ({ apiVersion }: ApiObject): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

/**
 * Why a new object must not be committed, if its namespace is being deleted or gone. To be asked after the number of the commit was
 * taken: a deletion that marks the namespace later settles that number before it lists what is left. A namespace that was never
 * stored refuses nothing: the built-in ones exist before they are stored, and for others the API has asked before.
 */
export const refusedBirth = async (
  { read }: Pick<ObjectStore, 'read'>,
  { resource, namespace, name }: ObjectKey,
  object: ApiObject,
): Promise<StatusError | undefined> => {
  if (namespace === '' || IMMORTAL_NAMESPACES.includes(namespace)) return undefined;
  const row = await read(namespaceKey(namespace));
  if (row?.state === 'marker') return notFound({ resource: 'namespaces', name: namespace });
  if (row?.object.metadata.deletionTimestamp === undefined) return undefined;
  return namespaceTerminating({ resource, group: groupOf(object), name }, namespace);
};

/** Whether a create was refused because the namespace is being deleted: nothing to report, and nothing to try again. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  hasReason(error, 'Forbidden') &&
  (error as { details?: { causes?: readonly { reason?: string }[] } }).details?.causes?.[0]?.reason ===
    'NamespaceTerminating';

/** Whether an object was refused because its namespace is being deleted or gone. */
export const isOutlived = (error: unknown): boolean =>
  isNamespaceTerminating(error) || (hasReason(error, 'NotFound') && error.details?.kind === 'namespaces');
