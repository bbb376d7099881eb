/** Request bodies: size, media type, JSON, kind. */
import { jsonSyntaxFault } from '../api/json-syntax.ts';
import type { ApiObject } from '../api/meta.ts';
import { DecodeError, decode } from '../api/schema/decode.ts';
import type { StructType } from '../api/schema/field-types.ts';
import { badRequest, requestEntityTooLarge, unsupportedMediaType } from '../api/status-error.ts';
import type { HttpRequest } from './http.ts';
import { mediaTypeOf } from './http.ts';
import type { ServedKind } from './strategy.ts';
import { apiVersionOf } from './strategy.ts';

/** Bytes that a body may have. Kubernetes: `--max-request-body-bytes`. */
export const API_BODY_LIMIT = 3_145_728;
export const HEARTBEAT_BODY_LIMIT = 16_384;

/** Throws 413. */
export const checkBodySize = ({ body }: HttpRequest, limit: number): void => {
  if (body.byteLength > limit) throw requestEntityTooLarge(`Request entity too large: limit is ${limit}`);
};

/** Throws 415, naming `accepted`. A missing type counts as JSON where JSON is accepted. */
export const checkMediaType = ({ headers }: HttpRequest, accepted: string): void => {
  const given = mediaTypeOf(headers['content-type']) || 'application/json';
  if (given !== accepted)
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    );
};

const PREVIEW = 30;

// Text that looks like JSON is quoted as it is, anything else in hexadecimal.
const previewOf = (body: Uint8Array): string => {
  if (body.byteLength === 0) return '<empty>';
  const bytes = Buffer.from(body);
  const start = bytes.subarray(0, PREVIEW);
  const shown = bytes.toString('latin1').trimStart().startsWith('{')
    ? start.toString()
    : start.toString('hex');
  return bytes.byteLength > PREVIEW ? `${shown} ...` : shown;
};

/** The JSON value of a body; throws what `fail` makes of Go's complaint. */
export const parseJson = (body: Uint8Array, fail: (complaint: string) => Error): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)) as unknown;
  } catch {
    const complaint = jsonSyntaxFault(Buffer.from(body).toString('latin1'));
    throw fail(complaint ?? 'invalid character in string literal');
  }
};

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const jsonKind = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

type TypeMeta = { readonly apiVersion?: unknown; readonly kind?: unknown };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const typeMetaFault = (value: unknown): string | undefined => {
  if (value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value))
    return `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${TYPE_META}`;
  const { kind, apiVersion } = value as TypeMeta;
  if (kind !== undefined && kind !== null && typeof kind !== 'string')
    return `json: cannot unmarshal ${jsonKind(kind)} into Go struct field .kind of type string`;
  if (apiVersion !== undefined && apiVersion !== null && typeof apiVersion !== 'string')
    return `json: cannot unmarshal ${jsonKind(apiVersion)} into Go struct field .apiVersion of type string`;
  return undefined;
};

const KNOWN_KINDS: readonly string[] = [
  'Node',
  'Pod',
  'Event',
  'Lease',
  'Namespace',
  'Service',
  'ConfigMap',
  'Secret',
];

const kindFault = (kind: string, apiVersion: string, served: ServedKind): string => {
  const version = apiVersion.split('/').at(-1) ?? '';
  const own = `${served.group === '' ? 'core' : served.group.split('.')[0]}.${served.kind}`;
  const why = KNOWN_KINDS.includes(kind)
    ? `converting (${version}.${kind}) to (${own}): unknown conversion`
    : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "rollcall"`;
  return `${kind} in version "${version}" cannot be handled as a ${served.kind}: ${why}`;
};

/** Throws 400 unless kind and apiVersion are those of `served`, or absent. */
const checkTypeMeta = (given: TypeMeta, served: ServedKind): void => {
  const expected = apiVersionOf(served);
  const [kind, apiVersion] = [textOf(given.kind), textOf(given.apiVersion)];
  if (kind !== '' && kind !== served.kind) throw badRequest(kindFault(kind, apiVersion || expected, served));
  if (apiVersion !== '' && apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
};

/** `value` as an object of `served`, in canonical form. Throws 400 for another kind, `DecodeError` for wrong types. */
export const decodeObject = <T extends ApiObject>(
  value: unknown,
  served: ServedKind,
  schema: StructType,
): T => {
  checkTypeMeta(value ?? {}, served);
  const decoded = decode(value ?? {}, schema);
  return { metadata: {}, ...decoded, kind: served.kind, apiVersion: apiVersionOf(served) } as unknown as T;
};

/** The object in a create's or replace's body. Throws 400 and 415. */
export const readObject = <T extends ApiObject>(
  request: HttpRequest,
  served: ServedKind,
  schema: StructType,
): T => {
  checkMediaType(request, 'application/json');
  const unrecognized = (complaint: string) =>
    badRequest(
      `the object provided is unrecognized (must be of type ${served.kind}): couldn't get version/kind; json parse error: ${complaint} (${previewOf(request.body)})`,
    );
  const value = parseJson(request.body, unrecognized);
  const fault = typeMetaFault(value);
  if (fault) throw unrecognized(fault);
  try {
    return decodeObject<T>(value, served, schema);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `${served.kind} in version "${served.version}" cannot be handled as a ${served.kind}: ${error.message}`,
    );
  }
};
