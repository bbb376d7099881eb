/** Server-side apply: a PATCH that states the fields that its manager wants, and no others. */

import { checkName, inNamespace } from '../../kinds/contract/names.ts';
import type { Strategy } from '../../kinds/contract/strategy.ts';
import { badRequest, conflict, hasReason } from '../../kube/errors/status-error.ts';
import type { JsonObject } from '../../kube/json/json-object.ts';
import { applyConfiguration } from '../../kube/managed-fields/apply.ts';
import { DecodeError } from '../../kube/schema/decode.ts';
import type { ApiObject, ManagedFieldsEntry } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { accessFacts } from '../access/access-facts.ts';
import { authorize } from '../access/authorization.ts';
import { readConfiguration } from '../body/apply-body.ts';
import { decodeObject } from '../body/body.ts';
import { withManagedFields, writeOf } from '../body/ownership.ts';
import type { Call } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import type { PatchOptions } from '../request/patch-options.ts';
import { newObjectOf, storeNew } from './create.ts';
import { updateObject } from './update.ts';

interface Applying<T extends ApiObject> {
  readonly call: Call;
  readonly strategy: Strategy<T>;
  readonly deps: ApiServerDeps;
  readonly options: PatchOptions;
  /** The configuration; the body is read once, when this is first called. */
  readonly config: () => JsonObject;
}

const decoded = <T extends ApiObject>(object: object, { kind, schema }: Strategy<T>): T => {
  try {
    return decodeObject<T>(object, kind, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`failed to convert new object: ${error.message}`);
  }
};

const applied = <T extends ApiObject>(
  { call, strategy, options, config }: Applying<T>,
  live: T | undefined,
  now: EpochMs,
): T => {
  const write = writeOf({ call, strategy, now }, 'Apply');
  const { object, managedFields } = applyConfiguration(live, config(), { write, force: options.force });
  return withManagedFields(decoded(object, strategy), managedFields as readonly ManagedFieldsEntry[]);
};

const isMissing = (error: unknown): boolean => hasReason(error, 'NotFound');

const createApplied = async <T extends ApiObject>(applying: Applying<T>): Promise<Answer> => {
  const { call, strategy, deps, options } = applying;
  const object = applied(applying, undefined, deps.clock.now());
  const { uid, resourceVersion: _version, ...metadata } = object.metadata;
  if (uid)
    throw conflict(
      subjectOf(call),
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  const given = inNamespace<T>({ ...object, metadata }, call.info.namespace);
  checkName(given, call.info.name);
  await authorize(call.user, { ...call.info, verb: 'create' }, accessFacts(deps, ''));
  const { managedFields = [] } = metadata;
  const born = await newObjectOf(call, strategy, given, deps, (named) =>
    withManagedFields(named, managedFields),
  );
  return storeNew(call, strategy, born, { deps, dryRun: options.dryRun });
};

/**
 * Applies the configuration in the body, and creates the object if it does not exist. Throws 400, 403, 409, 413
 * and 422.
 */
export const applyObject = async <T extends ApiObject>(
  given: Omit<Applying<T>, 'config'>,
): Promise<Answer> => {
  const { call, strategy, deps, options } = given;
  let config: JsonObject | undefined;
  const applying: Applying<T> = {
    ...given,
    config: () => {
      config ??= readConfiguration(call.request, strategy);
      return config;
    },
  };
  const propose = (before: T, now: EpochMs): T => applied(applying, before, now);
  try {
    return await updateObject({ call, strategy, deps, propose, isApply: true, dryRun: options.dryRun });
  } catch (error) {
    if (call.info.subresource !== '' || !isMissing(error)) throw error;
    return createApplied(applying);
  }
};
