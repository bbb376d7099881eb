/** Writes a message. Source: Protocol Buffers encoding. */
import type { Description, Draft, Field } from './describe.ts';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const DOUBLE_BYTES = 8;

type Bytes = Uint8Array;

/** Negative numbers have ten bytes, whatever their type is. */
const varint = (value: number): number[] => {
  const written: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)));
  for (; rest > 0x7fn; rest >>= 7n) written.push(Number(rest & 0x7fn) | 0x80);
  return [...written, Number(rest)];
};

const tag = (number: number, wire: number): number[] => varint(number * 8 + wire);

const sized = (number: number, content: Bytes): Bytes =>
  Buffer.concat([Buffer.from([...tag(number, BYTES), ...varint(content.length)]), content]);

const varintField = (number: number, value: number): Bytes =>
  Buffer.from([...tag(number, VARINT), ...varint(value)]);

const doubleField = (number: number, value: number): Bytes => {
  const content = Buffer.alloc(DOUBLE_BYTES);
  content.writeDoubleLE(value);
  return Buffer.concat([Buffer.from(tag(number, FIXED64)), content]);
};

const textField = (number: number, value: string): Bytes => sized(number, Buffer.from(value));

const mapEntries = (number: number, map: Readonly<Record<string, string>>): Bytes =>
  Buffer.concat(
    Object.entries(map).map(([key, value]) =>
      sized(number, Buffer.concat([textField(1, key), textField(2, value)])),
    ),
  );

type Write = (field: Field<unknown>, value: never) => Bytes;

const WRITERS: Readonly<Record<Field<unknown>['kind'], Write>> = {
  text: ({ number }, value: string) => textField(number, value),
  bytes: ({ number }, value: Bytes) => sized(number, value),
  bool: ({ number }, value: boolean) => varintField(number, Number(value)),
  integer: ({ number }, value: number) => varintField(number, value),
  double: ({ number }, value: number) => doubleField(number, value),
  enum: ({ number, names = [] }, value: string) => varintField(number, names.indexOf(value)),
  message: ({ number, of = {} }, value: object) => sized(number, encode(of, value)),
  textMap: ({ number }, value: Readonly<Record<string, string>>) => mapEntries(number, value),
  integers: ({ number }, value: readonly number[]) => sized(number, Buffer.from(value.flatMap(varint))),
};

const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

const written = (field: Field<unknown>, value: unknown): readonly Bytes[] => {
  if (isDefault(value)) return [];
  const write = WRITERS[field.kind];
  return field.isList
    ? (value as readonly unknown[]).map((one) => write(field, one as never))
    : [write(field, value as never)];
};

export const encode = <D extends Description>(description: D, draft: Draft<D>): Buffer => {
  const values = draft as Readonly<Record<string, unknown>>;
  return Buffer.concat(Object.entries(description).flatMap(([name, field]) => written(field, values[name])));
};
