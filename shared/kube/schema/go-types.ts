/** Formats types and field paths as Go's decoder does. Source: Go `encoding/json`, `UnmarshalTypeError`. */
import type { FieldType, Scalar } from './field-types.ts';

/** A body that cannot be decoded into its kind. The message is that of Go's decoder. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  /** Where the value stands that is not right, such as `spec.taints[0].key`, if that is known. */
  readonly path: string | undefined;

  constructor(message: string, path?: string) {
    super(message);
    this.path = path;
  }
}

/** A number kept as text, because a double would lose part of it: `1.0`, `1e3`, `9007199254740993`. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The path of a value as a linked list of steps. It is joined to a string only for an error message. */
export interface Place {
  readonly parent?: Place;
  /** `.name` or `[0]`. */
  readonly step: string;
  /** Name of the struct's field; absent for members of maps and elements of lists. */
  readonly field?: string;
  /** Go type of the struct that holds the field. */
  readonly struct: string;
}

const chainOf = (place: Place | undefined): readonly Place[] => {
  const chain: Place[] = [];
  for (let one = place; one; one = one.parent) chain.unshift(one);
  return chain;
};

/** Joins the steps, such as `spec.taints[0].key`. */
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
  double: 'float64',
  time: 'string',
  microTime: 'string',
  quantity: 'string',
  // Go reads any value that is not a string as a number.
  intOrString: 'int32',
  bytes: '[]uint8',
  raw: 'string',
};

const goType = (type: FieldType): string => {
  if (type.type === 'list') return `[]${goType(type.of)}`;
  if (type.type === 'map') return `map[string]${goType(type.of)}`;
  return type.type === 'struct' ? `${type.package ?? 'v1'}.${type.name}` : GO_TYPES[type.type];
};

const jsonKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  if (value instanceof NumberText) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

const isInteger = ({ type }: FieldType): boolean =>
  type === 'int32' || type === 'int64' || type === 'intOrString';

// If an integer is expected, Go's message repeats the number that it refused.
const given = (value: unknown, type: FieldType): string => {
  if (!isInteger(type)) return jsonKind(value);
  if (value instanceof NumberText) return `number ${value.text}`;
  return typeof value === 'number' ? `number ${value}` : jsonKind(value);
};

/** The error for a value of the wrong type, with Go's message. */
export const mismatch = (value: unknown, type: FieldType, place: Place | undefined): DecodeError => {
  const fields = chainOf(place).flatMap(({ field }) => field ?? []);
  const where =
    place === undefined || fields.length === 0
      ? 'Go value'
      : `Go struct field ${place.struct}.${fields.join('.')}`;
  return new DecodeError(
    `json: cannot unmarshal ${given(value, type)} into ${where} of type ${goType(type)}`,
    fullPath(place),
  );
};
