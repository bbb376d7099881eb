/** Reads the schema of members and elements, for functions that walk a typed value. */
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';
import type { FieldType, ListType } from '../schema/field-types.ts';
import { isAssociative } from './path-element.ts';

/** The type of a member; `undefined` if the schema has no such member. */
export const memberType = (type: FieldType, name: string): FieldType | undefined => {
  if (type.type === 'map') return type.of;
  return type.type === 'struct' && Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
};

/** Whether a value of this type has a single owner. */
export const isLeaf = (type: FieldType): boolean => {
  if (type.type === 'list') return !isAssociative(type);
  return type.type === 'map' || type.type === 'struct' ? type.atomic === true : true;
};

const isEmpty = (value: unknown): boolean => {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
};

/** Whether two values are compared as a whole: leaves, or containers that are both empty. */
export const isLeafPair = (a: unknown, b: unknown, type: FieldType): boolean =>
  isLeaf(type) || (isEmpty(a) && isEmpty(b));

export const membersOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const isList = (type: FieldType): type is ListType => type.type === 'list';
