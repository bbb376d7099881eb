/** Types of patches, and how each changes an object. Source: apiserver v1.34 `endpoints/handlers/patch.go`. */

import type { ServedKind, Strategy } from '../../kinds/contract/strategy.ts';
import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import { invalidObject, invalidValue } from '../../kube/errors/field-error.ts';
import type { StatusError } from '../../kube/errors/status-error.ts';
import { badRequest, unsupportedMediaType } from '../../kube/errors/status-error.ts';
import { goJsonKind } from '../../kube/json/go-json-kind.ts';
import type { JsonObject } from '../../kube/json/json-object.ts';
import { isObject } from '../../kube/json/json-object.ts';
import { checkBodyValues, MAX_JSON_PATCH_VALUES, OPERATION_VALUES } from '../../kube/json/value-limits.ts';
import { printGoValue } from '../../kube/patch/go-value.ts';
import { applyJsonPatch, readJsonPatch, unknownMembers } from '../../kube/patch/json-patch.ts';
import { applyMergePatch } from '../../kube/patch/merge-patch.ts';
import { isTooDeep, MAX_PATCH_DEPTH } from '../../kube/patch/patch-depth.ts';
import { applyStrategicMerge } from '../../kube/patch/strategic-merge.ts';
import { DecodeError } from '../../kube/schema/decode.ts';
import { messageOf } from '../../kube/schema/messages.ts';
import { duplicateFields } from '../../kube/schema/strict.ts';
import { unstructuredFault } from '../../kube/schema/unstructured.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { HttpRequest } from '../contract/http.ts';
import { mediaTypeOf } from '../contract/http.ts';
import { decodeObjectStrictly } from './body.ts';
import { heedFaults } from './field-validation.ts';
import { readJson } from './json.ts';

const PATCH_TYPES = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
} as const;

/** The types of patches. */
export type PatchType = (typeof PATCH_TYPES)[keyof typeof PATCH_TYPES];

const isPatchType = (type: string): type is keyof typeof PATCH_TYPES => Object.hasOwn(PATCH_TYPES, type);

/** The type of a PATCH by its media type. Throws 415 for a missing or unknown one. */
export const patchTypeOf = ({ headers }: HttpRequest): PatchType => {
  const given = mediaTypeOf(headers['content-type']);
  if (!isPatchType(given)) throw unsupportedMediaType('415: Unsupported Media Type');
  return PATCH_TYPES[given];
};

type Served<T extends ApiObject> = Pick<Strategy<T>, 'kind' | 'schema'>;

/** The result of a patch, and how error messages print an object that is refused. */
interface Patched {
  readonly value: unknown;
  readonly printed: () => string;
  /** Faults of the patch itself for strict decoding. */
  readonly faults?: readonly string[];
}

const prefixed = (complaint: string): StatusError => badRequest(`error decoding patch: ${complaint}`);

const notAnObject = (patch: unknown): string =>
  `json: cannot unmarshal ${goJsonKind(patch)} into Go value of type map[string]interface {}`;

const asJson = (value: unknown): Patched => ({ value, printed: () => JSON.stringify(value) });

const shallow = <V>(patch: V): V => {
  if (isTooDeep(patch)) throw badRequest(`a patch may have ${MAX_PATCH_DEPTH} levels`);
  return patch;
};

const byJsonPatch = (body: Uint8Array, before: ApiObject): Patched => {
  const { value, survey } = readJson(body, prefixed, MAX_JSON_PATCH_VALUES);
  const operations = readJsonPatch(shallow(value));
  checkBodyValues(survey.values - operations.length * OPERATION_VALUES);
  return { ...asJson(applyJsonPatch(before, operations)), faults: unknownMembers(operations) };
};

const byMergePatch = <T extends ApiObject>(body: Uint8Array, before: T, { schema }: Served<T>): Patched => {
  const parsed = readJson(body, prefixed);
  const patch = shallow(parsed.value);
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isObject(patch)) throw prefixed(notAnObject(patch));
  return { ...asJson(applyMergePatch(before, patch)), faults: duplicateFields(parsed, schema) };
};

const byStrategicMerge = <T extends ApiObject>(
  body: Uint8Array,
  before: T,
  { kind, schema }: Served<T>,
): Patched => {
  const parsed = readJson(body, (complaint) => badRequest(complaint));
  const patch = shallow(parsed.value ?? {});
  if (!isObject(patch)) throw badRequest(notAnObject(patch));
  const value = applyStrategicMerge(before as unknown as JsonObject, patch, schema);
  const printed = () => printGoValue(patch);
  const fault = unstructuredFault(value, schema);
  if (fault) throw refused(printed(), fault);
  // Kubernetes converts this patch without a check of the kind.
  return {
    value: { ...value, kind: kind.kind, apiVersion: apiVersionOf(kind) },
    printed,
    faults: duplicateFields(parsed, schema),
  };
};

const refused = (printed: string, why: string): StatusError =>
  invalidObject({ kind: '' }, '', [invalidValue('patch', printed, why)]);

const textOr = (value: unknown, absent: string): string =>
  typeof value === 'string' && value !== '' ? value : absent;

const kindFault = (value: unknown, served: ServedKind): string | undefined => {
  const { kind, apiVersion } = isObject(value) ? value : {};
  const expected = apiVersionOf(served);
  const [name, version] = [textOr(kind, served.kind), textOr(apiVersion, expected)];
  if (name === served.kind && version === expected) return undefined;
  const own = `${served.group === '' ? 'core' : served.group.split('.')[0]}.${served.kind}`;
  if (version === expected && messageOf(`${own.split('.')[0]}.${served.version}.${name}`))
    return `converting (${served.version}.${name}) to (${own}): unknown conversion`;
  return `no kind "${name}" is registered for version "${version}" in scheme "rollcall"`;
};

const decodePatched = <T extends ApiObject>({ value, printed }: Patched, { kind, schema }: Served<T>) => {
  const fault = kindFault(value, kind);
  if (fault) throw refused(printed(), fault);
  try {
    return decodeObjectStrictly<T>(value, kind, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw refused(printed(), error.message);
  }
};

const patchedValue = <T extends ApiObject>(
  { body }: HttpRequest,
  type: PatchType,
  before: T,
  served: Served<T>,
): Patched => {
  if (type === 'json') return byJsonPatch(body, before);
  return type === 'merge' ? byMergePatch(body, before, served) : byStrategicMerge(body, before, served);
};

/**
 * The object after a JSON, merge or strategic merge patch, in canonical form. Throws 400 for a malformed patch,
 * 422 if it does not apply or gives a field another type.
 */
export const patchedObject = <T extends ApiObject>(
  request: HttpRequest,
  type: PatchType,
  before: T,
  served: Served<T>,
): T => {
  const patched = patchedValue(request, type, before, served);
  const { object, faults } = decodePatched(patched, served);
  heedFaults(request, [...(patched.faults ?? []), ...faults], (why) => refused(patched.printed(), why));
  return object;
};
