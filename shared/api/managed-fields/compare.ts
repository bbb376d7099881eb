/** Which fields differ between two objects. Source: structured-merge-diff v6 `typed/compare.go`. */
import { deepEqual } from '../deep-equal.ts';
import { ownMember } from '../own-member.ts';
import type { FieldType, ListType } from '../schema/field-types.ts';
import type { FieldSet } from './field-set.ts';
import { emptySet, insertPath } from './field-set.ts';
import { fieldElement, listElement } from './path-element.ts';
import { elementsOf, isLeafPair, isList, membersOf, memberType } from './typed.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

type Path = readonly string[];

const noteLeaf = (into: Comparison, path: Path, before: unknown, after: unknown): void => {
  if (before === undefined) insertPath(into.added, path);
  else if (after === undefined) insertPath(into.removed, path);
  else if (!deepEqual(before, after)) insertPath(into.modified, path);
};

const compareMembers = (
  into: Comparison,
  path: Path,
  before: unknown,
  after: unknown,
  type: FieldType,
): void => {
  const [was, is] = [membersOf(before), membersOf(after)];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const inner = memberType(type, name);
    const [old, current] = [ownMember(was, name), ownMember(is, name)];
    if (inner && old !== current) compareFields(into, [...path, fieldElement(name)], old, current, inner);
  }
};

const byElement = (list: unknown, type: ListType): ReadonlyMap<string, readonly unknown[]> =>
  Map.groupBy(elementsOf(list), (element) => listElement(element, type));

// Elements with the same key are one field; an element that becomes one of several, or ceases to be, goes or comes.
const compareSame = (
  into: Comparison,
  path: Path,
  [was, is]: readonly [readonly unknown[], readonly unknown[]],
  type: FieldType,
): void => {
  if (was.length > 1 && is.length > 1) noteLeaf(into, path, was, is);
  else if (was.length > 1) {
    if (is.length > 0) compareFields(into, path, undefined, is[0], type);
    insertPath(into.removed, path);
  } else if (is.length > 1) {
    if (was.length > 0) compareFields(into, path, was[0], undefined, type);
    insertPath(into.added, path);
  } else compareFields(into, path, was[0], is[0], type);
};

const compareElements = (
  into: Comparison,
  path: Path,
  before: unknown,
  after: unknown,
  type: ListType,
): void => {
  const [was, is] = [byElement(before, type), byElement(after, type)];
  for (const element of new Set([...was.keys(), ...is.keys()]))
    compareSame(into, [...path, element], [was.get(element) ?? [], is.get(element) ?? []], type.of);
};

const compareFields = (
  into: Comparison,
  path: Path,
  before: unknown,
  after: unknown,
  type: FieldType,
): void => {
  if (before === after) return;
  if (isLeafPair(before, after, type)) {
    noteLeaf(into, path, before, after);
    return;
  }
  if (isList(type)) compareElements(into, path, before, after, type);
  else compareMembers(into, path, before, after, type);
  if (before === undefined) insertPath(into.added, path);
  else if (after === undefined) insertPath(into.removed, path);
};

export const compareObjects = (before: object, after: object, type: FieldType): Comparison => {
  const into = { added: emptySet(), modified: emptySet(), removed: emptySet() };
  compareMembers(into, [], before, after, type);
  return into;
};

/** Whether anything differs. */
export const hasChanges = ({ added, modified, removed }: Comparison): boolean =>
  [added, modified, removed].some(({ children }) => children.size > 0);
