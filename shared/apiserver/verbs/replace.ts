import { checkName, inNamespace } from '../../kinds/contract/names.ts';
import type { Strategy } from '../../kinds/contract/strategy.ts';
import { conflict, hasReason } from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { readObject } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { isDryRun } from '../request/options.ts';
import { newObjectOf, storeNew } from './create.ts';
import { updateObject } from './update.ts';

// For a PUT, unlike a patch, another uid means that the object was replaced since the client read it.
const checkUid = (call: Call, given: ApiObject, before: ApiObject): void => {
  const [wanted, stored] = [given.metadata.uid, before.metadata.uid];
  if (wanted === undefined || wanted === stored) return;
  const { resource, namespace, name } = call.info;
  const key = ['/registry', resource === 'nodes' ? 'minions' : resource, namespace, name]
    .filter(Boolean)
    .join('/');
  throw conflict(
    subjectOf(call),
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${stored}`,
  );
};

/** Stands for the missing object when a uid is compared. */
const NOBODY: ApiObject = { apiVersion: '', kind: '', metadata: { name: '', uid: '' } };

const isMissing = (error: unknown): boolean => hasReason(error, 'NotFound');

const orCreate = async <T extends ApiObject>(
  call: Call,
  strategy: Strategy<T>,
  given: T,
  { deps, dryRun }: { readonly deps: ApiServerDeps; readonly dryRun: boolean },
): Promise<Answer> => {
  const { resourceVersion: _version, ...metadata } = given.metadata;
  checkName(inNamespace(given, call.info.namespace), call.info.name);
  checkUid(call, given, NOBODY);
  const object = await newObjectOf(call, strategy, { ...given, metadata }, deps);
  return storeNew(call, strategy, object, { deps, dryRun });
};

/** PUT of an object or of its status. */
export const replaceVerb =
  <T extends ApiObject>(strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const dryRun = isDryRun(call.request, 'UpdateOptions');
    const given = readObject<T>(call.request, strategy.kind, strategy.schema);
    const propose = (before: T): T => {
      checkName(inNamespace(given, call.info.namespace), call.info.name);
      checkUid(call, given, before);
      return given;
    };
    try {
      return await updateObject({ call, strategy, deps, propose, dryRun });
    } catch (error) {
      if (!strategy.createsOnUpdate || !isMissing(error)) throw error;
      return orCreate(call, strategy, given, { deps, dryRun });
    }
  };
