/** Removes fields from an object. Source: structured-merge-diff v6 `typed/remove.go`. */
import { isObject } from '../json/json-object.ts';
import { setMember } from '../json/own-member.ts';
import type { FieldType } from '../schema/field-types.ts';
import type { FieldSet } from './field-set.ts';
import { fieldElement, listElement } from './path-element.ts';
import { isLeaf, isList, memberType } from './typed.ts';

const keep = (value: unknown, set: FieldSet | undefined, type: FieldType | undefined): readonly unknown[] => {
  if (set?.isMember) return [];
  return [set && type ? withoutFields(value, set, type) : value];
};

const withoutMembers = (value: object, { children }: FieldSet, type: FieldType): object => {
  const members: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const set = children.get(fieldElement(name));
    const kept = set ? keep(inner, set, memberType(type, name)) : [inner];
    for (const one of kept) setMember(members, name, one);
  }
  return members;
};

/** `value` without the fields in `set` and everything below them. */
export const withoutFields = (value: unknown, set: FieldSet, type: FieldType): unknown => {
  if (isLeaf(type) || set.children.size === 0) return value;
  if (isList(type) && Array.isArray(value))
    return value.flatMap((element) => keep(element, set.children.get(listElement(element, type)), type.of));
  return isObject(value) ? withoutMembers(value, set, type) : value;
};
