/** Reads bodies in any of the three formats, until their kind is known. */

import { StatusError } from '../../kube/errors/status-error.ts';
import { decodeMessage } from '../../kube/protobuf/decode.ts';
import { openEnvelope } from '../../kube/protobuf/envelope.ts';
import type { StructType } from '../../kube/schema/field-types.ts';
import { DecodeError } from '../../kube/schema/go-types.ts';
import type { Decoded } from '../../kube/schema/strict.ts';
import { decodeJson, decodeStrictly } from '../../kube/schema/strict.ts';
import type { HttpRequest, YamlReaders } from '../contract/http.ts';
import { mediaTypeOf } from '../contract/http.ts';
import { readJson } from './json.ts';
import type { TypeMeta } from './type-meta.ts';
import { checkYamlSize } from './yaml-limits.ts';

/** A body with its apiVersion and kind. `decode` throws `DecodeError` if the body does not fit the schema. */
export interface BodyValue extends TypeMeta {
  decode(schema: StructType): Decoded;
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const jsonKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

const typeMetaPart = (value: object, part: keyof TypeMeta): string => {
  const given: unknown = Object.hasOwn(value, part) ? (value as Record<string, unknown>)[part] : undefined;
  if (given === undefined || given === null) return '';
  if (typeof given === 'string') return given;
  throw new Error(`json: cannot unmarshal ${jsonKind(given)} into Go struct field .${part} of type string`);
};

const typeMetaIn = (value: unknown): TypeMeta => {
  if (value === null) return { apiVersion: '', kind: '' };
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Error(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${TYPE_META}`);
  return { apiVersion: typeMetaPart(value, 'apiVersion'), kind: typeMetaPart(value, 'kind') };
};

const unread = (complaint: string): DecodeError =>
  new DecodeError(`couldn't get version/kind; json parse error: ${complaint}`);

const typeMetaOf = (value: unknown): TypeMeta => {
  try {
    return typeMetaIn(value);
  } catch (error) {
    throw unread((error as Error).message);
  }
};

const fromJson = ({ body }: HttpRequest): BodyValue => {
  const parsed = readJson(body, unread);
  return { ...typeMetaOf(parsed.value), decode: (schema) => decodeJson(parsed, schema) };
};

const fromYaml = ({ body }: HttpRequest, { readYaml }: YamlReaders): BodyValue => {
  checkYamlSize(body);
  const { value, faults } = readYaml(new TextDecoder().decode(body));
  const decode = (schema: StructType): Decoded => {
    const decoded = decodeStrictly(value, schema);
    return { ...decoded, faults: [...faults, ...decoded.faults] };
  };
  return { ...typeMetaOf(value), decode };
};

const fromProtobuf = ({ body }: HttpRequest): BodyValue => {
  const { kind, apiVersion, raw } = openEnvelope(body);
  // Unknown fields of a protobuf message have no names, so strict decoding cannot report them.
  const decode = (schema: StructType): Decoded => ({
    object: decodeStrictly({ kind, apiVersion, ...decodeMessage(raw, schema.message) }, schema).object,
    faults: [],
  });
  return { kind, apiVersion, decode };
};

type From = (request: HttpRequest) => BodyValue;

/** The body formats that the server reads which received this request. */
const formatsOf = ({ yaml }: HttpRequest): ReadonlyMap<string, From> =>
  new Map<string, From>([
    ['application/json', fromJson],
    ...(yaml ? [['application/yaml', (request: HttpRequest) => fromYaml(request, yaml)] as const] : []),
    ['application/vnd.kubernetes.protobuf', fromProtobuf],
  ]);

const checkGroupVersion = ({ apiVersion }: TypeMeta): void => {
  if (apiVersion.split('/', 3).length > 2)
    throw new DecodeError(`unexpected GroupVersion string: ${apiVersion}`);
};

/** Reads the body; a missing media type counts as JSON. Throws 415, 413, and `DecodeError` with Go's messages. */
export const readBodyValue = (request: HttpRequest): BodyValue => {
  const type = mediaTypeOf(request.headers['content-type']) || 'application/json';
  const formats = formatsOf(request);
  const from = formats.get(type);
  if (!from)
    throw new StatusError(
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${[...formats.keys()].join(', ')}`,
    );
  const value = from(request);
  checkGroupVersion(value);
  return value;
};
