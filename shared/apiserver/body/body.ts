/** Checks and decodes request bodies: size, media type, kind. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import type { StatusError } from '../../kube/errors/status-error.ts';
import { badRequest, requestEntityTooLarge, unsupportedMediaType } from '../../kube/errors/status-error.ts';
import type { StructType } from '../../kube/schema/field-types.ts';
import { DecodeError } from '../../kube/schema/go-types.ts';
import { decodeStrictly } from '../../kube/schema/strict.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { HttpRequest } from '../contract/http.ts';
import { mediaTypeOf } from '../contract/http.ts';
import type { BodyValue } from './body-value.ts';
import { readBodyValue } from './body-value.ts';
import { heedFaults } from './field-validation.ts';
import { checkKind, checkVersion, hasOptions, notHandled, withDefaults } from './type-meta.ts';

export { parseJson } from './json.ts';

/** Most bytes of a request body. Kubernetes: `--max-request-body-bytes`. */
export const API_BODY_LIMIT = 3_145_728;
/** Most bytes of the body of a heartbeat or a Lease. */
export const HEARTBEAT_BODY_LIMIT = 16_384;

/** Throws 413 for a body of more than `limit` bytes. */
export const checkBodySize = ({ body }: HttpRequest, limit: number): void => {
  if (body.byteLength > limit) throw requestEntityTooLarge(`Request entity too large: limit is ${limit}`);
};

/** Throws 415 unless the body's media type is `accepted`. A missing type counts as JSON. */
export const checkMediaType = ({ headers }: HttpRequest, accepted: string): void => {
  const given = mediaTypeOf(headers['content-type']) || 'application/json';
  if (given !== accepted)
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    );
};

const PREVIEW = 30;
const BRACE = 0x7b;

// Go quotes a body that begins like a JSON object as text, any other in hexadecimal.
const previewOf = (body: Uint8Array): string => {
  if (body.byteLength === 0) return '<empty>';
  const start = Buffer.from(body.subarray(0, PREVIEW));
  const shown = start.toString(body[0] === BRACE ? 'utf8' : 'hex');
  return body.byteLength > PREVIEW ? `${shown} ...` : shown;
};

/** The result of `work`; a `DecodeError` becomes a 400 with the message that `sentence` makes. */
const decoding = <T>(work: () => T, sentence: (why: string) => string): T => {
  try {
    return work();
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(sentence(error.message)) : error;
  }
};

const asServed = <T extends ApiObject>(object: object, served: ServedKind): T =>
  ({ metadata: {}, ...object, kind: served.kind, apiVersion: apiVersionOf(served) }) as unknown as T;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A decoded object in canonical form, and its faults for strict decoding. */
interface StrictlyDecoded<T> {
  readonly object: T;
  readonly faults: readonly string[];
}

/** Decodes `value` as an object of `served`. Throws 400 for another kind, `DecodeError` for wrong types. */
export const decodeObjectStrictly = <T extends ApiObject>(
  value: unknown,
  served: ServedKind,
  schema: StructType,
): StrictlyDecoded<T> => {
  const { kind, apiVersion } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const typeMeta = withDefaults({ kind: textOf(kind), apiVersion: textOf(apiVersion) }, served);
  checkKind(typeMeta, served);
  checkVersion(typeMeta, served);
  const { object, faults } = decodeStrictly(value, schema);
  return { object: asServed(object, served), faults };
};

/** As `decodeObjectStrictly`, without the faults. */
export const decodeObject = <T extends ApiObject>(
  value: unknown,
  served: ServedKind,
  schema: StructType,
): T => decodeObjectStrictly<T>(value, served, schema).object;

const decodeBody = <T extends ApiObject>(
  request: HttpRequest,
  value: BodyValue,
  served: ServedKind,
  schema: StructType,
): T => {
  const typeMeta = withDefaults(value, served);
  const sentence = (why: string): string => notHandled(typeMeta, served, why);
  checkKind(typeMeta, served);
  const { object, faults } = decoding(() => value.decode(schema), sentence);
  heedFaults(request, faults, (why): StatusError => badRequest(sentence(why)));
  checkVersion(typeMeta, served);
  return asServed(object, served);
};

/**
 * Reads the object in a body. Unknown fields are dropped and reported as `fieldValidation` asks. Throws 400, 413
 * and 415.
 */
export const readObject = <T extends ApiObject>(
  request: HttpRequest,
  served: ServedKind,
  schema: StructType,
): T => {
  const unrecognized = (why: string): string =>
    `the object provided is unrecognized (must be of type ${served.kind}): ${why} (${previewOf(request.body)})`;
  const value = decoding(() => readBodyValue(request), unrecognized);
  return decodeBody(request, value, served, schema);
};

/**
 * Reads options in a body, such as `DeleteOptions`; unknown fields are dropped and not reported. Throws 400, 413
 * and 415.
 */
export const readOptions = (request: HttpRequest, kind: string, schema: StructType): object => {
  const plain = (why: string): string => why;
  const value = decoding(() => readBodyValue(request), plain);
  if ((value.kind !== '' && value.kind !== kind) || !hasOptions(kind, value.apiVersion))
    throw badRequest(
      `no kind "${value.kind || kind}" is registered for version "${value.apiVersion || 'v1'}" in scheme "rollcall"`,
    );
  return decoding(() => value.decode(schema).object, plain);
};
