import { canonicalQuantity } from '../quantity.ts';
import type { FieldType, ListType, MapType, Scalar, ScalarType, StructType } from './field-types.ts';
import { timeFault, utcTime } from './go-time.ts';

/** A body that is JSON but not of its kind; the message is what Go's decoder says. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

interface Place {
  readonly struct: string;
  readonly path: string;
}

const GO_TYPES: Readonly<Record<Scalar, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  time: 'string',
  microTime: 'string',
  quantity: 'string',
  intOrString: 'string',
  bytes: 'string',
  raw: 'string',
};

const goType = (type: FieldType): string => {
  if (type.type === 'list') return `[]${goType(type.of)}`;
  if (type.type === 'map') return `map[string]${goType(type.of)}`;
  return type.type === 'struct' ? `v1.${type.name}` : GO_TYPES[type.type];
};

const jsonKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

const mismatch = (value: unknown, type: FieldType, { struct, path }: Place): DecodeError => {
  const kind = typeof value === 'number' && !Number.isInteger(value) ? `number ${value}` : jsonKind(value);
  const where = path === '' ? 'Go value' : `Go struct field ${struct}.${path}`;
  return new DecodeError(`json: cannot unmarshal ${kind} into ${where} of type ${goType(type)}`);
};

const decodeTime = (value: string, precision: 'time' | 'microTime'): string => {
  const fault = timeFault(value, precision);
  if (fault) throw new DecodeError(fault);
  return utcTime(value, precision);
};

const decodeQuantity = (value: string | number): string => {
  const canonical = canonicalQuantity(String(value));
  if (canonical === undefined)
    throw new DecodeError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  return canonical;
};

const isInteger = (value: unknown, bits: 32 | 64): boolean =>
  Number.isInteger(value) && (bits === 64 || Math.abs(value as number) <= 2 ** 31);

const isText = (value: unknown): value is string => typeof value === 'string';

/** The canonical value, or `undefined` where the type is another one. */
const SCALARS: Readonly<Record<Scalar, (value: unknown) => unknown>> = {
  string: (value) => (isText(value) ? value : undefined),
  bytes: (value) => (isText(value) ? value : undefined),
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  int32: (value) => (isInteger(value, 32) ? value : undefined),
  int64: (value) => (isInteger(value, 64) ? value : undefined),
  time: (value) => (isText(value) ? decodeTime(value, 'time') : undefined),
  microTime: (value) => (isText(value) ? decodeTime(value, 'microTime') : undefined),
  quantity: (value) => (isText(value) || typeof value === 'number' ? decodeQuantity(value) : undefined),
  intOrString: (value) => (isText(value) || isInteger(value, 32) ? value : undefined),
  raw: (value) => value,
};

const decodeScalar = (value: unknown, type: ScalarType, place: Place): unknown => {
  const decoded = SCALARS[type.type](value);
  if (decoded === undefined) throw mismatch(value, type, place);
  return decoded;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const decodeList = (value: unknown, type: ListType, place: Place): unknown => {
  if (!Array.isArray(value)) throw mismatch(value, type, place);
  return value.map((element: unknown) => decodeValue(element ?? emptyOf(type.of), type.of, place));
};

const decodeMap = (value: unknown, type: MapType, place: Place): unknown => {
  if (!isRecord(value)) throw mismatch(value, type, place);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      decodeValue(inner ?? emptyOf(type.of), type.of, place),
    ]),
  );
};

const decodeStruct = (value: unknown, type: StructType, place: Place): unknown => {
  if (!isRecord(value)) throw mismatch(value, type, place);
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const field = Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
    if (!field) return [[key, inner]];
    if (inner === null) return [];
    const path = place.path === '' ? key : `${place.path}.${key}`;
    const decoded = decodeValue(inner, field, { struct: type.name, path });
    return isEmpty(decoded, field) ? [] : [[key, decoded]];
  });
  return Object.fromEntries(entries);
};

const emptyOf = (type: FieldType): unknown => {
  if (type.type === 'struct' || type.type === 'map') return {};
  if (type.type === 'list') return [];
  return type.type === 'bool' ? false : '';
};

const isEmpty = (value: unknown, type: FieldType): boolean => {
  if (type.type === 'struct') return false;
  if (type.type === 'list') return (value as readonly unknown[]).length === 0;
  if (type.type === 'map') return Object.keys(value as object).length === 0;
  return type.keep !== true && (value === '' || value === false || value === 0);
};

const decodeValue = (value: unknown, type: FieldType, place: Place): unknown => {
  if (type.type === 'list') return decodeList(value, type, place);
  if (type.type === 'map') return decodeMap(value, type, place);
  return type.type === 'struct' ? decodeStruct(value, type, place) : decodeScalar(value, type, place);
};

/**
 * The value in canonical form: empty and null fields gone, times in UTC, quantities canonical; unknown fields as they came.
 * Throws `DecodeError` where a known field has another type.
 */
export const decode = (value: unknown, type: StructType): Readonly<Record<string, unknown>> =>
  decodeValue(value, type, { struct: type.name, path: '' }) as Readonly<Record<string, unknown>>;
