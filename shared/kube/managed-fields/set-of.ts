import type { FieldType, ListType } from '../schema/field-types.ts';
import type { FieldSet, FieldSets } from './field-set.ts';
import { emptySet, isEmptySet, LEAF, setOf } from './field-set.ts';
import { fieldElement, listElement } from './path-element.ts';
import { elementsOf, isLeaf, isList, membersOf, memberType } from './typed.ts';

const elementSets = (value: unknown, type: ListType): FieldSets => {
  const children = new Map<string, FieldSet>();
  for (const element of elementsOf(value)) {
    const name = listElement(element, type);
    // Elements with the same key are indistinguishable: they are one field.
    children.set(name, children.has(name) ? LEAF : setOf(true, fieldSetOf(element, type.of).children));
  }
  return children;
};

const isBare = (value: unknown): boolean =>
  value === null || (!Array.isArray(value) && Object.keys(membersOf(value)).length === 0);

const memberSet = (value: unknown, type: FieldType, parent: FieldType): FieldSet => {
  if (isLeaf(type)) return LEAF;
  const set = fieldSetOf(value, type);
  return parent.type === 'map' || isBare(value) ? setOf(true, set.children) : set;
};

const memberSets = (value: unknown, type: FieldType): FieldSets => {
  const children = new Map<string, FieldSet>();
  const members = membersOf(value);
  for (const name of Object.keys(members)) {
    const inner = memberType(type, name);
    const child = inner ? memberSet(members[name], inner, type) : emptySet();
    if (!isEmptySet(child)) children.set(fieldElement(name), child);
  }
  return children;
};

/** The set of all fields of a value. Source: structured-merge-diff v6 `typed/tofieldset.go`. */
export const fieldSetOf = (value: unknown, type: FieldType): FieldSet => {
  if (isLeaf(type)) return LEAF;
  return setOf(false, isList(type) ? elementSets(value, type) : memberSets(value, type));
};

const typeOfChild = (element: string, type: FieldType | undefined): FieldType | undefined => {
  if (type === undefined) return undefined;
  if (element.startsWith('f:')) return memberType(type, element.slice(2));
  return isList(type) ? type.of : undefined;
};

/** The set plus all structs that contain a field of it. Source: `fieldpath.Set.EnsureNamedFieldsAreMembers`. */
export const withStructs = (set: FieldSet, type: FieldType | undefined): FieldSet => {
  let children: Map<string, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const inner = typeOfChild(element, type);
    const isNamed = type?.type === 'struct' && inner !== undefined;
    const below = withStructs(child, inner);
    const whole = isNamed && !below.isMember ? setOf(true, below.children) : below;
    if (whole === child) continue;
    children ??= new Map(set.children);
    children.set(element, whole);
  }
  return children === undefined ? set : setOf(set.isMember, children);
};
