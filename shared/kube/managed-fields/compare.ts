/** Finds the fields that differ between two objects. Source: structured-merge-diff v6 `typed/compare.go`. */
import { deepEqual } from '../json/deep-equal.ts';
import { ownMember } from '../json/own-member.ts';
import type { FieldType, ListType } from '../schema/field-types.ts';
import type { FieldSet } from './field-set.ts';
import { emptySet, isEmptySet, LEAF, setOf } from './field-set.ts';
import { fieldElement, listElement } from './path-element.ts';
import { elementsOf, isLeafPair, isList, membersOf, memberType } from './typed.ts';

/** The fields that were added, modified and removed between two objects. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const NONE = emptySet();
const SAME: Comparison = { added: NONE, modified: NONE, removed: NONE };
const ADDED: Comparison = { ...SAME, added: LEAF };
const MODIFIED: Comparison = { ...SAME, modified: LEAF };
const REMOVED: Comparison = { ...SAME, removed: LEAF };

const compareLeaves = (before: unknown, after: unknown): Comparison => {
  if (before === undefined) return ADDED;
  if (after === undefined) return REMOVED;
  return deepEqual(before, after) ? SAME : MODIFIED;
};

const PARTS = ['added', 'modified', 'removed'] as const;

/** Collects the differences of the parts of a value. */
type Parts = { -readonly [part in keyof Comparison]?: Map<string, FieldSet> };

const note = (parts: Parts, element: string, comparison: Comparison): void => {
  if (comparison === SAME) return;
  for (const part of PARTS) {
    if (isEmptySet(comparison[part])) continue;
    parts[part] ??= new Map();
    parts[part].set(element, comparison[part]);
  }
};

/** Combines the comparisons of a value's parts. A container that was added or removed also counts as a field. */
const wholeOf = ({ added, modified, removed }: Parts, before: unknown, after: unknown): Comparison => {
  if (!added && !modified && !removed && before !== undefined && after !== undefined) return SAME;
  return {
    added: setOf(before === undefined, added),
    modified: setOf(false, modified),
    removed: setOf(before !== undefined && after === undefined, removed),
  };
};

const compareMembers = (before: unknown, after: unknown, type: FieldType): Parts => {
  const [was, is] = [membersOf(before), membersOf(after)];
  const parts: Parts = {};
  const compare = (name: string, old: unknown, current: unknown): void => {
    const inner = old === current ? undefined : memberType(type, name);
    if (inner) note(parts, fieldElement(name), compareFields(old, current, inner));
  };
  for (const name of Object.keys(was)) compare(name, was[name], ownMember(is, name));
  for (const name of Object.keys(is)) if (!Object.hasOwn(was, name)) compare(name, undefined, is[name]);
  return parts;
};

const byElement = (list: unknown, type: ListType): ReadonlyMap<string, readonly unknown[]> =>
  Map.groupBy(elementsOf(list), (element) => listElement(element, type));

const withMember = (comparison: Comparison, part: 'added' | 'removed'): Comparison => ({
  ...comparison,
  [part]: setOf(true, comparison[part].children),
});

// Elements with the same key are one field. If their number changes between one and several, the field counts as
// removed or added.
const compareSame = (was: readonly unknown[], is: readonly unknown[], type: FieldType): Comparison => {
  if (was.length > 1 && is.length > 1) return compareLeaves(was, is);
  if (was.length > 1)
    return withMember(is.length > 0 ? compareFields(undefined, is[0], type) : SAME, 'removed');
  if (is.length > 1)
    return withMember(was.length > 0 ? compareFields(was[0], undefined, type) : SAME, 'added');
  return compareFields(was[0], is[0], type);
};

const compareElements = (before: unknown, after: unknown, type: ListType): Parts => {
  const [was, is] = [byElement(before, type), byElement(after, type)];
  const parts: Parts = {};
  for (const [element, old] of was) note(parts, element, compareSame(old, is.get(element) ?? [], type.of));
  for (const [element, current] of is)
    if (!was.has(element)) note(parts, element, compareSame([], current, type.of));
  return parts;
};

const compareFields = (before: unknown, after: unknown, type: FieldType): Comparison => {
  if (before === after) return SAME;
  if (isLeafPair(before, after, type)) return compareLeaves(before, after);
  const parts = isList(type) ? compareElements(before, after, type) : compareMembers(before, after, type);
  return wholeOf(parts, before, after);
};

export const compareObjects = (before: object, after: object, type: FieldType): Comparison =>
  wholeOf(compareMembers(before, after, type), before, after);

/** Whether the comparison found any difference. */
export const hasChanges = ({ added, modified, removed }: Comparison): boolean =>
  [added, modified, removed].some(({ children }) => children.size > 0);
