/** Decodes protobuf messages to JSON values by the published field numbers. Zero values that were sent are kept. */

import { checkBodyValues } from '../json/value-limits.ts';
import { DecodeError } from '../schema/go-types.ts';
import type { MessageField } from '../schema/messages.ts';
import { isInlined, isListMessage, messageOf } from '../schema/messages.ts';
import type { Reader } from './reader.ts';
import {
  readBool,
  readDouble,
  readerOf,
  readInner,
  readInt32,
  readInt64,
  readTag,
  readText,
  skipField,
  WIRE,
} from './reader.ts';
import {
  readBase64,
  readFieldsV1,
  readIntOrString,
  readMicroTime,
  readQuantity,
  readRawExtension,
  readTime,
} from './scalars.ts';

type Members = Record<string, unknown>;

/** How a type is read. `before` is the value that the field already has: a repeated message is merged into it. */
interface ValueType {
  readonly wire: number;
  readonly read: (reader: Reader, before?: unknown) => unknown;
}

interface Field extends ValueType {
  readonly name: string;
  readonly how: 'single' | 'repeated' | 'inlined' | 'map';
}

const SCALARS: Readonly<Record<string, ValueType>> = {
  string: { wire: WIRE.bytes, read: readText },
  bytes: { wire: WIRE.bytes, read: readBase64 },
  bool: { wire: WIRE.varint, read: readBool },
  int32: { wire: WIRE.varint, read: readInt32 },
  int64: { wire: WIRE.varint, read: readInt64 },
  double: { wire: WIRE.fixed64, read: readDouble },
  'apis.meta.v1.Time': { wire: WIRE.bytes, read: readTime },
  'apis.meta.v1.MicroTime': { wire: WIRE.bytes, read: readMicroTime },
  'apis.meta.v1.FieldsV1': { wire: WIRE.bytes, read: readFieldsV1 },
  'api.resource.Quantity': { wire: WIRE.bytes, read: readQuantity },
  'runtime.RawExtension': { wire: WIRE.bytes, read: readRawExtension },
  'util.intstr.IntOrString': { wire: WIRE.bytes, read: readIntOrString },
};

/** Go's zero value, for a map entry that has a key but no value. */
const zeroOf = (type: string): unknown => {
  if (SCALARS[type] === undefined) return isListMessage(type) ? [] : {};
  if (type === 'bool') return false;
  if (type === 'api.resource.Quantity') return '0';
  return type === 'int32' || type === 'int64' || type === 'double'
    ? 0
    : type === 'string' || type === 'bytes'
      ? ''
      : null;
};

const messageType = (name: string): ValueType => ({
  wire: WIRE.bytes,
  read: (reader, before) => {
    const value = readMessage(readInner(reader), name, (before ?? {}) as Members);
    return isListMessage(name) ? (value['items'] ?? []) : value;
  },
});

const typeOf = (name: string): ValueType => SCALARS[name] ?? messageType(name);

const entryType = (values: string): ValueType => {
  const value = typeOf(values);
  const fields = new Map<number, Field>([
    [1, { name: 'key', how: 'single', wire: WIRE.bytes, read: readText }],
    [2, { name: 'value', how: 'single', ...value }],
  ]);
  return {
    wire: WIRE.bytes,
    read: (reader) => {
      const entry: Members = { key: '', value: zeroOf(values) };
      readFields(readInner(reader), 'Entry', fields, entry);
      return entry;
    },
  };
};

const fieldOf = (message: string, { name, type, many }: MessageField): Field => {
  if (many === 'map') return { name, how: 'map', ...entryType(type) };
  if (isInlined(message, name)) return { name, how: 'inlined', ...typeOf(type) };
  return { name, how: many === 'list' ? 'repeated' : 'single', ...typeOf(type) };
};

const known = new Map<string, ReadonlyMap<number, Field>>();

const fieldsOf = (message: string): ReadonlyMap<number, Field> => {
  const found = known.get(message);
  if (found) return found;
  const fields = new Map(
    (messageOf(message) ?? []).map((field) => [field.number, fieldOf(message, field)] as const),
  );
  known.set(message, fields);
  return fields;
};

const listIn = (members: Members, name: string): unknown[] => {
  members[name] ??= [];
  return members[name] as unknown[];
};

/** Reads the packed encoding, in which all numbers of a list are in one field. */
const readPacked = (reader: Reader, { read }: Field, list: unknown[]): void => {
  const packed = readInner(reader);
  while (packed.at < packed.end) {
    checkBodyValues(list.length);
    list.push(read(packed));
  }
};

const addEntry = (members: Members, name: string, entry: unknown): void => {
  const { key, value } = entry as { readonly key: string; readonly value: unknown };
  members[name] ??= {};
  // An assignment to `__proto__` would change the prototype instead of setting a member.
  Object.defineProperty(members[name], key, { value, enumerable: true, configurable: true, writable: true });
};

const readField = (reader: Reader, field: Field, members: Members): void => {
  const { name, how, read } = field;
  if (how === 'repeated') listIn(members, name).push(read(reader));
  else if (how === 'map') addEntry(members, name, read(reader));
  else if (how === 'inlined') read(reader, members);
  else members[name] = read(reader, members[name]);
};

const readFields = (
  reader: Reader,
  message: string,
  fields: ReadonlyMap<number, Field>,
  members: Members,
): void => {
  while (reader.at < reader.end) {
    const [number, wire] = readTag(reader, message);
    const field = fields.get(number);
    if (!field) skipField(reader, wire);
    else if (field.wire === wire) readField(reader, field, members);
    else if (field.how === 'repeated' && wire === WIRE.bytes)
      readPacked(reader, field, listIn(members, field.name));
    else throw new DecodeError(`proto: wrong wireType = ${wire} for field ${goName(field.name)}`);
  }
};

const goName = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const readMessage = (reader: Reader, message: string, members: Members): Members => {
  readFields(reader, message.split('.').at(-1) ?? '', fieldsOf(message), members);
  return members;
};

/** Decodes a message such as `core.v1.Node`. Throws `DecodeError` for malformed bytes. */
export const decodeMessage = (bytes: Uint8Array, message: string): Readonly<Record<string, unknown>> =>
  readMessage(readerOf(bytes), message, {});
