/** What is wrong with an applied configuration. Source: structured-merge-diff v6 `typed/validate.go`. */
import { isObject } from '../json-object.ts';
import { printGoValue } from '../patch/go-value.ts';
import type { FieldType, ListType, ScalarType } from '../schema/field-types.ts';
import { elementFault, isAssociative, listElement, printPath } from './path-element.ts';
import { memberType } from './typed.ts';

type Path = readonly string[];

const fault = (path: Path, message: string): string =>
  path.length === 0 ? message : `${printPath(path)}: ${message}`;

const goValue = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : printGoValue(value);

const goType = (value: unknown): string => {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  return { boolean: 'bool', string: 'string' }[typeof value as string] ?? 'int64';
};

const scalarFault = (value: unknown, { type }: ScalarType): string | undefined => {
  if (type === 'raw') return undefined;
  if (type === 'int32' || type === 'int64')
    return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
  if (type === 'bool')
    return typeof value === 'boolean' ? undefined : `expected boolean, got &{${printGoValue(value)}}`;
  if (type === 'string' || type === 'bytes')
    return typeof value === 'string'
      ? undefined
      : `expected string, got &value.valueUnstructured{Value:${goValue(value)}}`;
  return typeof value === 'object' ? `expected any scalar, got &{${printGoValue(value)}}` : undefined;
};

const elementFaults = (value: readonly unknown[], type: ListType, path: Path): readonly string[] => {
  const seen = new Set<string>();
  return value.flatMap((element, index) => {
    if (!isAssociative(type)) return faultsOf(element, type.of, [...path, `i:${index}`]);
    const unnamed = elementFault(element, type);
    if (unnamed) return [fault(path, `element ${index}: ${unnamed}`)];
    const name = listElement(element, type);
    const twice = seen.has(name) ? [fault(path, `duplicate entries for key ${printPath([name])}`)] : [];
    seen.add(name);
    return [...twice, ...faultsOf(element, type.of, [...path, name])];
  });
};

const memberFaults = (value: object, type: FieldType, path: Path): readonly string[] =>
  Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, `f:${name}`];
    const innerType = memberType(type, name);
    return innerType ? faultsOf(inner, innerType, at) : [fault(at, 'field not declared in schema')];
  });

const faultsOf = (value: unknown, type: FieldType, path: Path): readonly string[] => {
  if (value === null) return [];
  if (type.type === 'list')
    return Array.isArray(value)
      ? elementFaults(value, type, path)
      : [fault(path, `expected list, got &{${printGoValue(value)}}`)];
  if (type.type === 'struct' || type.type === 'map')
    return isObject(value)
      ? memberFaults(value, type, path)
      : [fault(path, `expected map, got &{${printGoValue(value)}}`)];
  const wrong = scalarFault(value, type);
  return wrong ? [fault(path, wrong)] : [];
};

/** The complaint about an applied object: fields that the schema does not know, other types, keys that occur twice. */
export const typedFault = (value: object, type: FieldType): string | undefined => {
  const faults = faultsOf(value, type, []);
  return faults.length > 1 ? ['errors:', ...faults.map((one) => `  ${one}`)].join('\n') : faults[0];
};
