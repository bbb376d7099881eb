/** Validates applied configurations. Source: structured-merge-diff v6 `typed/validate.go`. */
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';
import { printGoValue } from '../patch/go-value.ts';
import type { FieldType, ListType, ScalarType } from '../schema/field-types.ts';
import { elementFault, fieldElement, isAssociative, listElement, printPath } from './path-element.ts';
import { memberType } from './typed.ts';

/** The path of a value as a linked list, joined only for an error message. `undefined` is the object itself. */
type Place = { readonly parent: Place; readonly element: string } | undefined;

const pathTo = (place: Place): readonly string[] => {
  const path: string[] = [];
  for (let one = place; one; one = one.parent) path.push(one.element);
  return path.reverse();
};

const fault = (place: Place, message: string): string =>
  place === undefined ? message : `${printPath(pathTo(place))}: ${message}`;

const goValue = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : printGoValue(value);

const goType = (value: unknown): string => {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  return { boolean: 'bool', string: 'string' }[typeof value as string] ?? 'int64';
};

const scalarFault = (value: unknown, { type }: ScalarType): string | undefined => {
  if (type === 'raw') return undefined;
  if (type === 'int32' || type === 'int64' || type === 'double')
    return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
  if (type === 'bool')
    return typeof value === 'boolean' ? undefined : `expected boolean, got &{${printGoValue(value)}}`;
  if (type === 'string' || type === 'bytes')
    return typeof value === 'string'
      ? undefined
      : `expected string, got &value.valueUnstructured{Value:${goValue(value)}}`;
  return typeof value === 'object' ? `expected any scalar, got &{${printGoValue(value)}}` : undefined;
};

const containerFault = (value: unknown, { type }: FieldType): string =>
  `expected ${type === 'list' ? 'list' : 'map'}, got &{${printGoValue(value)}}`;

const noteElements = (faults: string[], value: readonly unknown[], type: ListType, place: Place): void => {
  const seen = new Set<string>();
  for (const [index, element] of value.entries()) {
    if (!isAssociative(type)) {
      noteFaults(faults, element, type.of, { parent: place, element: `i:${index}` });
      continue;
    }
    const unnamed = elementFault(element, type);
    if (unnamed) {
      faults.push(fault(place, `element ${index}: ${unnamed}`));
      continue;
    }
    const name = listElement(element, type);
    if (seen.has(name)) faults.push(fault(place, `duplicate entries for key ${printPath([name])}`));
    seen.add(name);
    noteFaults(faults, element, type.of, { parent: place, element: name });
  }
};

const noteMembers = (faults: string[], value: JsonObject, type: FieldType, place: Place): void => {
  for (const name of Object.keys(value)) {
    const at = { parent: place, element: fieldElement(name) };
    const innerType = memberType(type, name);
    if (innerType) noteFaults(faults, value[name], innerType, at);
    else faults.push(fault(at, 'field not declared in schema'));
  }
};

const noteFaults = (faults: string[], value: unknown, type: FieldType, place: Place): void => {
  if (value === null) return;
  const isContainer = type.type === 'list' || type.type === 'struct' || type.type === 'map';
  if (type.type === 'list' && Array.isArray(value)) noteElements(faults, value, type, place);
  else if (isContainer && type.type !== 'list' && isObject(value)) noteMembers(faults, value, type, place);
  else {
    const wrong = isContainer ? containerFault(value, type) : scalarFault(value, type);
    if (wrong) faults.push(fault(place, wrong));
  }
};

/**
 * The error message for an applied object with unknown fields, wrong types or duplicate keys; `undefined` if it is
 * valid.
 */
export const typedFault = (value: object, type: FieldType): string | undefined => {
  const faults: string[] = [];
  noteFaults(faults, value, type, undefined);
  return faults.length > 1 ? ['errors:', ...faults.map((one) => `  ${one}`)].join('\n') : faults[0];
};
