/** Namespaces as what objects live in: those that are always there, and whether one takes new objects. */
import { forbidden, notFound, StatusError } from '../../api/status-error.ts';
import { toTime } from '../../api/time.ts';
import { NAMESPACES } from '../../api/well-known.ts';
import type { ObjectLog } from '../../ports/object-log.ts';
import type { ObjectKey } from '../../ports/rows.ts';
import type { ApiServerDeps } from '../deps.ts';
import type { ResourceRequest } from '../request/request-info.ts';
import { builtInNamespace } from '../strategies/namespaces.ts';

export const namespaceKey = (name: string): ObjectKey => ({ resource: 'namespaces', namespace: '', name });

export const isBuiltIn = (name: string): boolean => (NAMESPACES as readonly string[]).includes(name);

/** Stores a built-in namespace unless it is there. */
export const bearNamespace = async (name: string, { writer, ids }: ApiServerDeps): Promise<void> => {
  const uid = ids.uuid();
  await writer.write(namespaceKey(name), (row, now) =>
    row?.state === 'live'
      ? undefined
      : { next: builtInNamespace(name, uid, toTime(now)), writer: 'controller' },
  );
};

/**
 * Makes sure once per process that the built-in namespaces are stored. Only requests for namespaces wait for it: for all
 * others they exist by definition.
 */
export const createNamespaceBirth = (deps: ApiServerDeps): (() => Promise<void>) => {
  let born: Promise<unknown> | undefined;
  return async () => {
    born ??= Promise.all(NAMESPACES.map((name) => bearNamespace(name, deps)));
    try {
      await born;
    } catch (error) {
      born = undefined;
      throw error;
    }
  };
};

const terminating = ({ resource, group, namespace }: ResourceRequest, name: string): StatusError => {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { message, details } = forbidden({ resource, group, name }, why);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError('Forbidden', message, { ...details, causes: [cause] });
};

/**
 * Throws 404 when an object is to be made in a namespace that does not exist, 403 when it is on its way out. An object that
 * is made in the moment in which its namespace goes stays behind: the two rows are not written in one transaction.
 */
export const checkNamespace = async (info: ResourceRequest, name: string, log: ObjectLog): Promise<void> => {
  const { namespace } = info;
  if (namespace === '' || isBuiltIn(namespace)) return;
  const row = await log.read(namespaceKey(namespace));
  if (row?.state !== 'live') throw notFound({ resource: 'namespaces', name: namespace });
  if (row.object.metadata.deletionTimestamp !== undefined) throw terminating(info, name);
};
