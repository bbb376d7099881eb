/** Types and places as Go's decoder prints them. Source: Go `encoding/json`, `UnmarshalTypeError`. */
import type { FieldType, Scalar } from './field-types.ts';

/** A body that is JSON but not of its kind; the message is what Go's decoder says. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** A number whose text says more than its double: `1.0`, `1e3`, `9007199254740993`. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Where a value lies: a chain of steps, put together only for a fault. */
export interface Place {
  readonly parent?: Place;
  /** `.name` or `[0]`. */
  readonly step: string;
  /** Name of a struct's field; members of maps and elements of lists have none. */
  readonly field?: string;
  /** Go type of the struct that holds the field. */
  readonly struct: string;
}

const chainOf = (place: Place | undefined): readonly Place[] => {
  const chain: Place[] = [];
  for (let one = place; one; one = one.parent) chain.unshift(one);
  return chain;
};

/** `spec.taints[0].key`. */
export const fullPath = (place: Place | undefined): string =>
  chainOf(place)
    .map(({ step }) => step)
    .join('')
    .replace(/^\./, '');

const GO_TYPES: Readonly<Record<Scalar, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  time: 'string',
  microTime: 'string',
  quantity: 'string',
  // What is no string is read as a number.
  intOrString: 'int32',
  bytes: '[]uint8',
  raw: 'string',
};

const goType = (type: FieldType): string => {
  if (type.type === 'list') return `[]${goType(type.of)}`;
  if (type.type === 'map') return `map[string]${goType(type.of)}`;
  return type.type === 'struct' ? `v1.${type.name}` : GO_TYPES[type.type];
};

const jsonKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  if (value instanceof NumberText) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

const isInteger = ({ type }: FieldType): boolean =>
  type === 'int32' || type === 'int64' || type === 'intOrString';

// Where a number is due, Go says which one it could not take.
const given = (value: unknown, type: FieldType): string => {
  if (!isInteger(type)) return jsonKind(value);
  if (value instanceof NumberText) return `number ${value.text}`;
  return typeof value === 'number' ? `number ${value}` : jsonKind(value);
};

export const mismatch = (value: unknown, type: FieldType, place: Place | undefined): DecodeError => {
  const fields = chainOf(place).flatMap(({ field }) => field ?? []);
  const where =
    place === undefined || fields.length === 0
      ? 'Go value'
      : `Go struct field ${place.struct}.${fields.join('.')}`;
  return new DecodeError(
    `json: cannot unmarshal ${given(value, type)} into ${where} of type ${goType(type)}`,
  );
};
