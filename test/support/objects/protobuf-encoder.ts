/** Kubernetes' protobuf from JSON values, by the same table of field numbers that the product decodes with. */
import '../../../shared/kube/schema/rare-messages.ts';
import type { MessageField } from '../../../shared/kube/schema/messages.ts';
import { isInlined, isListMessage, messageOf } from '../../../shared/kube/schema/messages.ts';

type Bytes = readonly number[];

const varint = (value: bigint): Bytes => {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
};

const numberField = (field: number, value: number | bigint): Bytes => [
  ...varint(BigInt(field) << 3n),
  ...varint(BigInt(value)),
];

const bytesField = (field: number, bytes: Iterable<number>): Bytes => {
  const content = [...bytes];
  return [...varint((BigInt(field) << 3n) | 2n), ...varint(BigInt(content.length)), ...content];
};

const textField = (field: number, text: string): Bytes => bytesField(field, Buffer.from(text));

const doubleField = (field: number, value: unknown): Bytes => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number(value));
  return [...varint((BigInt(field) << 3n) | 1n), ...bytes];
};

const instant = (text: string): Bytes => {
  const micros = Number(/\.(\d{6})/.exec(text)?.[1] ?? 0);
  const seconds = Math.floor(Date.parse(text) / 1000);
  return [...numberField(1, seconds), ...numberField(2, micros * 1000)];
};

const portOf = (value: unknown): Bytes =>
  typeof value === 'number'
    ? [...numberField(1, 0), ...numberField(2, value)]
    : [...numberField(1, 1), ...textField(3, String(value))];

type Encode = (field: number, value: unknown) => Bytes;

const SCALARS: Readonly<Record<string, Encode>> = {
  string: (field, value) => textField(field, String(value)),
  bytes: (field, value) => bytesField(field, Buffer.from(String(value), 'base64')),
  bool: (field, value) => numberField(field, value === true ? 1 : 0),
  int32: (field, value) => numberField(field, Number(value)),
  int64: (field, value) => numberField(field, Number(value)),
  double: doubleField,
  'apis.meta.v1.Time': (field, value) => bytesField(field, instant(String(value))),
  'apis.meta.v1.MicroTime': (field, value) => bytesField(field, instant(String(value))),
  'apis.meta.v1.FieldsV1': (field, value) => bytesField(field, textField(1, JSON.stringify(value))),
  'runtime.RawExtension': (field, value) => bytesField(field, textField(1, JSON.stringify(value))),
  'api.resource.Quantity': (field, value) => bytesField(field, textField(1, String(value))),
  'util.intstr.IntOrString': (field, value) => bytesField(field, portOf(value)),
};

const encodeValue = (type: string, field: number, value: unknown): Bytes => {
  const scalar = SCALARS[type];
  if (scalar) return scalar(field, value);
  return bytesField(field, encodeMessage(isListMessage(type) ? { items: value } : value, type));
};

const encodeField = (field: number, { type, many }: MessageField, value: unknown): Bytes => {
  if (many === 'map')
    return Object.entries(value as object).flatMap(([key, inner]) =>
      bytesField(field, [...textField(1, key), ...encodeValue(type, 2, inner)]),
    );
  if (many === 'list') return (value as readonly unknown[]).flatMap((one) => encodeValue(type, field, one));
  return encodeValue(type, field, value);
};

/** The message of a JSON value, such as `core.v1.Node`. */
export const encodeMessage = (value: unknown, message: string): Bytes =>
  (messageOf(message) ?? []).flatMap((field) => {
    const inlined = isInlined(message, field.name);
    const inner: unknown = inlined ? value : (value as Record<string, unknown>)[field.name];
    return inner === undefined || inner === null ? [] : encodeField(field.number, field, inner);
  });

/** A body as clients send it. */
export const encodeBody = (value: { kind: string; apiVersion: string }, message: string): Uint8Array => {
  const typeMeta = [...textField(1, value.apiVersion), ...textField(2, value.kind)];
  const raw = encodeMessage(value, message);
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, ...bytesField(1, typeMeta), ...bytesField(2, raw)]);
};
