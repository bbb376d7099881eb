/** Reads a message. Fields that are not described are skipped. Source: Protocol Buffers encoding. */
import type { Description, Field, Message } from './describe.ts';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const LONGEST_VARINT = 10;

/** Bytes that are no message of this description. */
export class WireFault extends Error {
  override readonly name = 'WireFault';
}

interface Cursor {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
}

const take = (cursor: Cursor, count: number): number => {
  const start = cursor.at;
  if (count < 0 || start + count > cursor.end) throw new WireFault('the message ends within a field');
  cursor.at += count;
  return start;
};

const longVarint = (cursor: Cursor): number => {
  let value = 0n;
  for (let index = 0; index < LONGEST_VARINT; index += 1) {
    const byte = cursor.bytes[take(cursor, 1)] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return Number(BigInt.asIntN(64, value));
  }
  throw new WireFault('a number has more than 64 bits');
};

const varint = (cursor: Cursor): number => {
  const first = cursor.bytes[cursor.at] ?? 0x80;
  if (first >= 0x80 || cursor.at >= cursor.end) return longVarint(cursor);
  cursor.at += 1;
  return first;
};

const inner = (cursor: Cursor): Cursor => {
  const length = varint(cursor);
  const at = take(cursor, length);
  return { bytes: cursor.bytes, at, end: at + length };
};

const readText = (cursor: Cursor): string => {
  const { bytes, at, end } = inner(cursor);
  return bytes.toString('utf8', at, end);
};

const skip = (cursor: Cursor, wire: number): void => {
  if (wire === VARINT) longVarint(cursor);
  else if (wire === FIXED64) take(cursor, 8);
  else if (wire === BYTES) inner(cursor);
  else if (wire === FIXED32) take(cursor, 4);
  else throw new WireFault(`a field has the unknown wire type ${wire}`);
};

type Values = Record<string, unknown>;

const MAP_ENTRY: Description = {
  key: { number: 1, kind: 'text', isList: false },
  value: { number: 2, kind: 'text', isList: false },
};

const readIntegers = (cursor: Cursor, wire: number): readonly number[] => {
  if (wire === VARINT) return [varint(cursor)];
  const packed = inner(cursor);
  const numbers: number[] = [];
  while (packed.at < packed.end) numbers.push(varint(packed));
  return numbers;
};

const WIRE_OF: Readonly<Record<Field<unknown>['kind'], number>> = {
  text: BYTES,
  bytes: BYTES,
  message: BYTES,
  textMap: BYTES,
  bool: VARINT,
  integer: VARINT,
  enum: VARINT,
  double: FIXED64,
  integers: BYTES,
};

const readOne = (cursor: Cursor, { kind, of = {}, names = [] }: Field<unknown>): unknown => {
  if (kind === 'text') return readText(cursor);
  if (kind === 'message') return readMessage(inner(cursor), of);
  if (kind === 'bool') return varint(cursor) !== 0;
  if (kind === 'enum') return names[varint(cursor)];
  if (kind === 'double') return cursor.bytes.readDoubleLE(take(cursor, 8));
  if (kind === 'integer') return varint(cursor);
  const { bytes, at, end } = inner(cursor);
  return bytes.subarray(at, end);
};

const isReadable = ({ kind }: Field<unknown>, wire: number): boolean =>
  wire === WIRE_OF[kind] || (kind === 'integers' && wire === VARINT);

/** Keys such as `__proto__` are keys like others. */
const addEntry = (map: object, entry: Values): void => {
  Object.defineProperty(map, String(entry['key']), {
    value: entry['value'],
    enumerable: true,
    configurable: true,
    writable: true,
  });
};

const readInto = (
  values: Values,
  name: string,
  field: Field<unknown>,
  cursor: Cursor,
  wire: number,
): void => {
  if (field.kind === 'textMap') addEntry(values[name] as object, readMessage(inner(cursor), MAP_ENTRY));
  else if (field.kind === 'integers') (values[name] as number[]).push(...readIntegers(cursor, wire));
  else if (field.isList) (values[name] as unknown[]).push(readOne(cursor, field));
  else values[name] = readOne(cursor, field);
};

const DEFAULTS: Readonly<Record<Field<unknown>['kind'], (field: Field<unknown>) => unknown>> = {
  text: () => '',
  bytes: () => Buffer.alloc(0),
  bool: () => false,
  integer: () => 0,
  double: () => 0,
  enum: ({ names = [] }) => names[0],
  message: () => undefined,
  textMap: () => ({}),
  integers: () => [],
};

const empty = (description: Description): Values =>
  Object.fromEntries(
    Object.entries(description).map(([name, field]) => [
      name,
      field.isList ? [] : DEFAULTS[field.kind](field),
    ]),
  );

const byNumber = new WeakMap<Description, ReadonlyMap<number, readonly [string, Field<unknown>]>>();

const fieldsOf = (description: Description): ReadonlyMap<number, readonly [string, Field<unknown>]> => {
  const known = byNumber.get(description);
  if (known) return known;
  const made = new Map(
    Object.entries(description).map(([name, field]) => [field.number, [name, field] as const]),
  );
  byNumber.set(description, made);
  return made;
};

const readMessage = (cursor: Cursor, description: Description): Values => {
  const values = empty(description);
  const fields = fieldsOf(description);
  while (cursor.at < cursor.end) {
    const tag = varint(cursor);
    const found = fields.get(Math.trunc(tag / 8));
    if (found && isReadable(found[1], tag % 8)) readInto(values, found[0], found[1], cursor, tag % 8);
    else skip(cursor, tag % 8);
  }
  return values;
};

/** Throws a `WireFault`. */
export const decode = <D extends Description>(description: D, bytes: Uint8Array): Message<D> => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readMessage({ bytes: buffer, at: 0, end: buffer.length }, description) as Message<D>;
};
