import { setMember } from '../json/own-member.ts';
import type { FieldType, ListType, MapType, StructType } from './field-types.ts';
import type { Place } from './go-types.ts';
import { fullPath, mismatch } from './go-types.ts';
import { decodeScalar } from './scalars.ts';

export { DecodeError } from './go-types.ts';

/** Collects the messages about unknown fields, in the order of the text. `undefined`: they are not wanted. */
type Faults = string[] | undefined;
type Members = Record<string, unknown>;

const isRecord = (value: unknown): value is Readonly<Members> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const innerPlace = (parent: Place | undefined, step: string): Place => {
  const struct = parent?.struct ?? '';
  return parent ? { parent, step, struct } : { step, struct };
};

// A list, map or struct that is already canonical is not copied.
const decodeList = (
  value: unknown,
  type: ListType,
  place: Place | undefined,
  faults: Faults,
): readonly unknown[] => {
  if (!Array.isArray(value)) throw mismatch(value, type, place);
  const given: readonly unknown[] = value;
  const decoded = given.map((element, index) =>
    decodeValue(element ?? emptyOf(type.of), type.of, innerPlace(place, `[${index}]`), faults),
  );
  return decoded.every((element, index) => element === given[index]) ? given : decoded;
};

const decodeMap = (value: unknown, type: MapType, place: Place | undefined, faults: Faults): unknown => {
  if (!isRecord(value)) throw mismatch(value, type, place);
  const keys = Object.keys(value);
  const decoded = keys.map((key) =>
    decodeValue(value[key] ?? emptyOf(type.of), type.of, innerPlace(place, `.${key}`), faults),
  );
  if (keys.every((key, index) => value[key] === decoded[index])) return value;
  const members: Members = {};
  for (const [index, key] of keys.entries()) setMember(members, key, decoded[index]);
  return members;
};

const placeOf = (parent: Place | undefined, field: string, struct: string): Place =>
  parent ? { parent, step: `.${field}`, field, struct } : { step: `.${field}`, field, struct };

const decodeStruct = (
  value: unknown,
  type: StructType,
  place: Place | undefined,
  faults: Faults,
): unknown => {
  if (!isRecord(value)) throw mismatch(value, type, place);
  const members: Members = {};
  for (const key of Object.keys(value)) {
    const field = Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
    const inner = value[key];
    if (!field) faults?.push(`unknown field "${fullPath(placeOf(place, key, type.name))}"`);
    if (!field || inner === null || inner === undefined) continue;
    const decoded = decodeValue(inner, field, placeOf(place, key, type.name), faults);
    if (!isEmpty(decoded, field)) members[key] = decoded;
  }
  for (const name of type.always ?? []) members[name] ??= absentOf(type.fields[name]);
  return members;
};

const emptyOf = (type: FieldType): unknown => {
  if (type.type === 'struct' || type.type === 'map') return {};
  if (type.type === 'list') return [];
  if (type.type === 'quantity') return '0';
  if (type.type === 'int32' || type.type === 'int64' || type.type === 'double') return 0;
  return type.type === 'bool' ? false : '';
};

/** The value of a field that is always present but was not set: Go's zero value, `null` for a time. */
const absentOf = (type: FieldType | undefined): unknown => {
  if (type?.type === 'struct') return {};
  return type?.type === 'string' ? '' : null;
};

const isEmpty = (value: unknown, type: FieldType): boolean => {
  if (type.type === 'struct') return false;
  if (type.type === 'list') return type.keep !== true && (value as readonly unknown[]).length === 0;
  if (type.type === 'map') return Object.keys(value as object).length === 0;
  return type.keep !== true && (value === '' || value === false || value === 0);
};

const decodeValue = (value: unknown, type: FieldType, place: Place | undefined, faults: Faults): unknown => {
  if (type.type === 'list') return decodeList(value, type, place, faults);
  if (type.type === 'map') return decodeMap(value, type, place, faults);
  return type.type === 'struct' ? decodeStruct(value, type, place, faults) : decodeScalar(value, type, place);
};

/**
 * Converts a value to canonical form: without empty, null and unknown fields, times in UTC, quantities canonical. Adds a
 * strict decoder's messages to `faults`: `unknown field "spec.foo"`. Throws `DecodeError` if a known field has another type.
 */
export const decode = (
  value: unknown,
  type: StructType,
  faults?: string[],
): Readonly<Record<string, unknown>> =>
  decodeValue(value, type, undefined, faults) as Readonly<Record<string, unknown>>;
