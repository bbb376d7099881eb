/**
 * OpenAPI 2 as far as clients need it: kubectl before 1.27 reads it as protobuf to learn which kinds take
 * `dryRun`. Without definitions of fields it leaves their validation to the server. Source of the form: gnostic's
 * `OpenAPIv2.proto`.
 */
import type { Resource } from '../contract/resource.ts';
import type { ServedPath } from './paths.ts';
import { pathsOf } from './paths.ts';

const varint = (value: number): readonly number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];

const LENGTH_DELIMITED = 2;

const encoder = new TextEncoder();

/** Encodes a field of a protobuf message: text, or the fields of a nested message. */
const field = (number: number, value: string | readonly Uint8Array[]): Uint8Array => {
  const bytes = typeof value === 'string' ? encoder.encode(value) : Buffer.concat(value);
  return Buffer.concat([
    Uint8Array.from([...varint((number << 3) | LENGTH_DELIMITED), ...varint(bytes.byteLength)]),
    bytes,
  ]);
};

const QUERY = ['dryRun', 'fieldManager', 'fieldValidation'];

// The numbers are fields of gnostic's messages: ParametersItem.parameter, Parameter.nonBodyParameter,
// .queryParameterSubSchema.
const queryParameter = (name: string): Uint8Array =>
  field(8, [field(1, [field(2, [field(3, [field(2, 'query'), field(4, name)])])])]);

const extension = ({ kind: { group, version, kind } }: ServedPath): Uint8Array => {
  const yaml = `group: "${group}"\nkind: ${kind}\nversion: ${version}\n`;
  return field(13, [field(1, 'x-kubernetes-group-version-kind'), field(2, [field(2, yaml)])]);
};

const PATCH = 8;

const pathItem = (served: ServedPath): Uint8Array => {
  const operation = [field(5, `patch${served.title}`), ...QUERY.map(queryParameter), extension(served)];
  return field(2, [field(1, served.path), field(2, [field(PATCH, operation)])]);
};

const patched = (resources: readonly Resource[]): readonly ServedPath[] =>
  resources.flatMap(pathsOf).filter(({ verbs }) => verbs.includes('patch'));

/** The document as protobuf. */
export const protobufDocument = (resources: readonly Resource[], version: string): Uint8Array =>
  Buffer.concat([
    field(1, '2.0'),
    field(2, [field(1, 'Rollcall'), field(2, version)]),
    field(8, patched(resources).map(pathItem)),
  ]);

const jsonItem = ({ title, kind }: ServedPath): object => ({
  patch: {
    operationId: `patch${title}`,
    parameters: QUERY.map((name) => ({ name, in: 'query', type: 'string', uniqueItems: true })),
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': kind,
  },
});

/** The document as JSON. */
export const jsonDocument = (resources: readonly Resource[], version: string): object => ({
  swagger: '2.0',
  info: { title: 'Rollcall', version },
  paths: Object.fromEntries(patched(resources).map((served) => [served.path, jsonItem(served)])),
  definitions: {},
});
