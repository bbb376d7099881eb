import type { FieldType, ListType } from '../schema/field-types.ts';
import type { FieldSet } from './field-set.ts';
import { childOf, emptySet } from './field-set.ts';
import { fieldElement, listElement } from './path-element.ts';
import { elementsOf, isLeaf, isList, membersOf, memberType } from './typed.ts';

const addElements = (set: FieldSet, value: unknown, type: ListType): void => {
  const seen = new Set<string>();
  for (const element of elementsOf(value)) {
    const name = listElement(element, type);
    const child = childOf(set, name);
    // Elements with the same key cannot be told apart: they are one field.
    if (seen.has(name)) child.children.clear();
    else addFields(child, element, type.of);
    seen.add(name);
    child.isMember = true;
  }
};

const isBare = (value: unknown): boolean =>
  value === null || (!Array.isArray(value) && Object.keys(membersOf(value)).length === 0);

const addMembers = (set: FieldSet, value: unknown, type: FieldType): void => {
  for (const [name, inner] of Object.entries(membersOf(value))) {
    const innerType = memberType(type, name);
    if (!innerType) continue;
    const child = childOf(set, fieldElement(name));
    addFields(child, inner, innerType);
    if (isBare(inner) || type.type === 'map') child.isMember = true;
    if (!child.isMember && child.children.size === 0) set.children.delete(fieldElement(name));
  }
};

const addFields = (set: FieldSet, value: unknown, type: FieldType): void => {
  if (isLeaf(type)) set.isMember = true;
  else if (isList(type)) addElements(set, value, type);
  else addMembers(set, value, type);
};

/** All fields that a value has. Source: structured-merge-diff v6 `typed/tofieldset.go`. */
export const fieldSetOf = (value: unknown, type: FieldType): FieldSet => {
  const set = emptySet();
  addFields(set, value, type);
  return set;
};

/** The set with all structs in which it has fields. Source: `fieldpath.Set.EnsureNamedFieldsAreMembers`. */
export const withStructs = (set: FieldSet, type: FieldType | undefined): FieldSet => {
  const children = [...set.children].map(([element, child]): [string, FieldSet] => {
    const name = element.slice(2);
    const isField = element.startsWith('f:') && type !== undefined;
    const inner = isField ? memberType(type, name) : type && isList(type) ? type.of : undefined;
    const isNamed = isField && type.type === 'struct' && inner !== undefined;
    const below = withStructs(child, inner);
    return [element, { isMember: below.isMember || isNamed, children: below.children }];
  });
  return { isMember: set.isMember, children: new Map(children) };
};
