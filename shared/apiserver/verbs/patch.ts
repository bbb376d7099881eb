import { invalidObject, invalidValue } from '../../api/field-error.ts';
import type { ApiObject } from '../../api/meta.ts';
import { applyMergePatch } from '../../api/patch/merge-patch.ts';
import { DecodeError } from '../../api/schema/decode.ts';
import { badRequest, unsupportedMediaType } from '../../api/status-error.ts';
import { decodeObject, parseJson } from '../body.ts';
import type { Handle } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import type { HttpRequest } from '../http.ts';
import { mediaTypeOf } from '../http.ts';
import { isDryRun } from '../options.ts';
import type { Strategy } from '../strategy.ts';
import { updateObject } from './update.ts';

export const MERGE_PATCH = 'application/merge-patch+json';

/** The patch in a body. Throws 415 for other patch types and 400 for what is no JSON object. */
export const readPatch = (request: HttpRequest): unknown => {
  if (mediaTypeOf(request.headers['content-type']) !== MERGE_PATCH)
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${MERGE_PATCH}`,
    );
  const patch = parseJson(request.body, (complaint) => badRequest(`error decoding patch: ${complaint}`));
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
    throw badRequest('Invalid JSON Patch');
  return patch;
};

/** The patched object in canonical form. Throws 422 where the patch gave a field another type. */
export const patchedObject = <T extends ApiObject>(
  before: T,
  patch: unknown,
  { kind, schema }: Pick<Strategy<T>, 'kind' | 'schema'>,
): T => {
  const { resourceVersion: _version, ...metadata } = before.metadata;
  try {
    return decodeObject<T>(applyMergePatch({ ...before, metadata }, patch), kind, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalidObject({ kind: '' }, '', [invalidValue('patch', JSON.stringify(patch), error.message)]);
  }
};

/** PATCH of an object or of its status. */
export const patchVerb =
  <T extends ApiObject>(strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const dryRun = isDryRun(call.request, 'PatchOptions');
    const patch = readPatch(call.request);
    const propose = (before: T): T => patchedObject(before, patch, strategy);
    return updateObject({ call, strategy, deps, propose, dryRun });
  };
