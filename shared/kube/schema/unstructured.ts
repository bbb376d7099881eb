/**
 * Finds type errors in the result of a strategic merge patch. Unlike a body it is not parsed from JSON but converted.
 * Source: apimachinery v1.34 `runtime/converter.go`.
 */
import { isObject } from '../json/json-object.ts';
import type { FieldType, Scalar, ScalarType } from './field-types.ts';

/** The word for the value in the messages of Go's `reflect`. */
const reflectKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'slice';
  if (isObject(value)) return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
};

const SIMPLE: Readonly<Partial<Record<Scalar, (value: unknown) => boolean>>> = {
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  int32: (value) => Number.isInteger(value),
  int64: (value) => Number.isInteger(value),
};

// Go can convert an int64 to a string, so that case fails in the conversion itself, with another message.
const scalarFault = (value: unknown, { type }: ScalarType): string | undefined => {
  const fits = SIMPLE[type];
  if (!fits || fits(value)) return undefined;
  const kind = reflectKind(value);
  const isConvertible = type === 'string' ? kind === 'int64' : kind === 'float64' && type !== 'bool';
  return isConvertible ? `cannot convert ${kind} to ${type}` : `unrecognized type: ${type}`;
};

const firstFault = (faults: Iterable<string | undefined>): string | undefined => {
  for (const fault of faults) if (fault !== undefined) return fault;
  return undefined;
};

function* memberFaults(value: object, typeOf: (name: string) => FieldType | undefined) {
  for (const [name, inner] of Object.entries(value)) {
    const type = typeOf(name);
    if (type) yield unstructuredFault(inner, type);
  }
}

/**
 * The error message for the first value of a wrong type; `undefined` if there is none or if decoding JSON reports it.
 */
export const unstructuredFault = (value: unknown, type: FieldType): string | undefined => {
  if (value === null || value === undefined) return undefined;
  if (type.type === 'list') {
    if (!Array.isArray(value)) return `cannot restore slice from ${reflectKind(value)}`;
    return firstFault(value.map((element) => unstructuredFault(element, type.of)));
  }
  if (type.type === 'map')
    return isObject(value)
      ? firstFault(memberFaults(value, () => type.of))
      : `cannot restore map from ${reflectKind(value)}`;
  if (type.type !== 'struct') return scalarFault(value, type);
  if (!isObject(value)) return `cannot restore struct from: ${reflectKind(value)}`;
  return firstFault(
    memberFaults(value, (name) => (Object.hasOwn(type.fields, name) ? type.fields[name] : undefined)),
  );
};
