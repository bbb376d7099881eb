/** What the schema says about the parts of a value, for all who walk it. */
import type { JsonObject } from '../json-object.ts';
import { isObject } from '../json-object.ts';
import type { FieldType, ListType } from '../schema/field-types.ts';
import { isAssociative } from './path-element.ts';

/** The type of a member; `undefined` where the schema does not know it. */
export const memberType = (type: FieldType, name: string): FieldType | undefined => {
  if (type.type === 'map') return type.of;
  return type.type === 'struct' && Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
};

/** Whether a value is owned as a whole. */
export const isLeaf = (type: FieldType): boolean => {
  if (type.type === 'list') return !isAssociative(type);
  return type.type === 'map' || type.type === 'struct' ? type.atomic === true : true;
};

const isEmpty = (value: unknown): boolean => {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
};

/** A pair that is looked at as a whole: leaves, and containers of which both are empty. */
export const isLeafPair = (a: unknown, b: unknown, type: FieldType): boolean =>
  isLeaf(type) || (isEmpty(a) && isEmpty(b));

export const membersOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const isList = (type: FieldType): type is ListType => type.type === 'list';
