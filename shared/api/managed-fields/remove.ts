/** An object without some of its fields. Source: structured-merge-diff v6 `typed/remove.go`. */

import { isObject } from '../json-object.ts';
import type { FieldType } from '../schema/field-types.ts';
import type { FieldSet } from './field-set.ts';
import { fieldElement, listElement } from './path-element.ts';
import { isLeaf, isList, memberType } from './typed.ts';

const keep = (value: unknown, set: FieldSet | undefined, type: FieldType | undefined): readonly unknown[] => {
  if (set?.isMember) return [];
  return [set && type ? withoutFields(value, set, type) : value];
};

/** `value` without the fields in `set`, and what lies in them. */
export const withoutFields = (value: unknown, set: FieldSet, type: FieldType): unknown => {
  if (isLeaf(type)) return value;
  if (isList(type) && Array.isArray(value))
    return value.flatMap((element) => keep(element, set.children.get(listElement(element, type)), type.of));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, inner]) =>
    keep(inner, set.children.get(fieldElement(name)), memberType(type, name)).map((kept) => [name, kept]),
  );
  return Object.fromEntries(members) as unknown;
};
