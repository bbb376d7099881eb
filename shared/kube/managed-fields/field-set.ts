/**
 * Sets of fields of an object, as a tree of path elements: `f:name`, `k:{"key":"value"}`, `v:"element"`.
 * Sets are immutable, so that they can share common parts. No set has an empty child.
 * Source: structured-merge-diff v6 `fieldpath/set.go`.
 */
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';

export interface FieldSet {
  /** Whether the field itself is in the set, not only fields below it. */
  readonly isMember: boolean;
  readonly children: FieldSets;
}

/** Subsets by path element. */
export type FieldSets = ReadonlyMap<string, FieldSet>;

const NO_CHILDREN: FieldSets = new Map();
const EMPTY_SET: FieldSet = { isMember: false, children: NO_CHILDREN };
/** The set of one field without nested fields, which most parts of a tree are. */
export const LEAF: FieldSet = { isMember: true, children: NO_CHILDREN };

export const emptySet = (): FieldSet => EMPTY_SET;

export const isEmptySet = ({ isMember, children }: FieldSet): boolean => !isMember && children.size === 0;

/** A set with these children and, if `isMember`, with the field itself. */
export const setOf = (isMember: boolean, children: FieldSets | undefined): FieldSet => {
  if (children !== undefined && children.size > 0) return { isMember, children };
  return isMember ? LEAF : EMPTY_SET;
};

/** A copy of the children with `child` at `element`. An empty child removes the element. */
const withChild = (children: FieldSets, element: string, child: FieldSet): Map<string, FieldSet> => {
  const changed = new Map(children);
  if (isEmptySet(child)) changed.delete(element);
  else changed.set(element, child);
  return changed;
};

/** The elements that both have. Visits only those of the smaller one. */
const sharedElements = (a: FieldSets, b: FieldSets): readonly string[] => {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  return [...few.keys()].filter((element) => many.has(element));
};

const childIn = (children: FieldSets, element: string): FieldSet => children.get(element) ?? EMPTY_SET;

const commonOf = (a: FieldSet, b: FieldSet): FieldSet => {
  const children = new Map<string, FieldSet>();
  for (const element of sharedElements(a.children, b.children)) {
    const child = intersection(childIn(a.children, element), childIn(b.children, element));
    if (!isEmptySet(child)) children.set(element, child);
  }
  return setOf(a.isMember && b.isMember, children);
};

export const intersection = (a: FieldSet, b: FieldSet): FieldSet => (a === b ? a : commonOf(a, b));

/** The fields of `a` that are not in `b`. A nested field stays even if its parent is in `b`. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b) return EMPTY_SET;
  let children: Map<string, FieldSet> | undefined;
  for (const element of sharedElements(a.children, b.children)) {
    const before = childIn(a.children, element);
    const child = difference(before, childIn(b.children, element));
    if (child === before) continue;
    children ??= new Map(a.children);
    if (isEmptySet(child)) children.delete(element);
    else children.set(element, child);
  }
  const isMember = a.isMember && !b.isMember;
  return children === undefined && isMember === a.isMember ? a : setOf(isMember, children ?? a.children);
};

const isLarger = (a: FieldSet, b: FieldSet): boolean => a.children.size > b.children.size;

const childrenOf = function* (sets: readonly FieldSet[]): Generator<[string, FieldSet]> {
  for (const { children } of sets) yield* children;
};

/** The children of all sets. Children at the same element are united in one step, however many they are. */
const unitedChildren = (largest: FieldSet, others: readonly FieldSet[]): FieldSets => {
  const children = new Map(largest.children);
  const several = new Map<string, FieldSet[]>();
  for (const [element, child] of childrenOf(others)) {
    const found = children.get(element);
    const sets = several.get(element);
    if (found === undefined) children.set(element, child);
    else if (sets) sets.push(child);
    else if (found !== child) several.set(element, [found, child]);
  }
  for (const [element, sets] of several) children.set(element, unionOf(sets));
  return children;
};

/** The fields that are in any of the sets. */
export const unionOf = (sets: readonly FieldSet[]): FieldSet => {
  const given = new Set(sets.filter((set) => !isEmptySet(set)));
  const [first = EMPTY_SET, ...rest] = given;
  if (rest.length === 0) return first;
  const largest = rest.reduce((most, set) => (isLarger(set, most) ? set : most), first);
  given.delete(largest);
  const isMember = largest.isMember || [...given].some((set) => set.isMember);
  return setOf(isMember, unitedChildren(largest, [...given]));
};
export const union = (...sets: readonly FieldSet[]): FieldSet => unionOf(sets);

/** The set without the subtree at a path. */
const withoutSubtree = (set: FieldSet, [element, ...rest]: readonly string[]): FieldSet => {
  const child = element === undefined ? undefined : set.children.get(element);
  if (child === undefined || element === undefined) return set;
  const kept = rest.length === 0 ? EMPTY_SET : withoutSubtree(child, rest);
  return kept === child ? set : setOf(set.isMember, withChild(set.children, element, kept));
};

/** The set without the subtrees at `paths`, of which there are only a few. */
export const withoutSubtrees = (set: FieldSet, paths: readonly (readonly string[])[]): FieldSet =>
  paths.reduce(withoutSubtree, set);

/** Every path in the set. Fields of one level come before nested fields. */
export const pathsOf = (set: FieldSet, at: readonly string[] = []): readonly (readonly string[])[] => {
  const children = [...set.children].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...children.flatMap(([element, { isMember }]) => (isMember ? [[...at, element]] : [])),
    ...children.flatMap(([element, child]) => pathsOf(child, [...at, element])),
  ];
};

/** The JSON of a field without nested fields. It is shared, like the sets. */
const NO_FIELDS: JsonObject = Object.freeze({});
const SELF = '.';

/** Formats the set as `FieldsV1`. */
export const toFieldsV1 = ({ children }: FieldSet, isSelfWritten = false): JsonObject => {
  if (children.size === 0) return NO_FIELDS;
  const fields: Record<string, JsonObject> = isSelfWritten ? { [SELF]: NO_FIELDS } : {};
  for (const element of [...children.keys()].sort()) {
    const child = childIn(children, element);
    fields[element] = toFieldsV1(child, child.isMember);
  }
  return fields;
};

const PREFIXES: ReadonlySet<string> = new Set(['f:', 'k:', 'v:', 'i:']);

/** Parses `FieldsV1`; `undefined` if it is invalid. */
export const fromFieldsV1 = (fields: unknown): FieldSet | undefined => {
  if (!isObject(fields)) return undefined;
  let children: Map<string, FieldSet> | undefined;
  for (const element of Object.keys(fields)) {
    if (element === SELF) continue;
    const child = PREFIXES.has(element.slice(0, 2)) ? childFromFieldsV1(fields[element]) : undefined;
    if (child === undefined) return undefined;
    children ??= new Map();
    children.set(element, child);
  }
  return setOf(false, children);
};

const childFromFieldsV1 = (fields: unknown): FieldSet | undefined => {
  const set = fromFieldsV1(fields);
  if (set === undefined) return undefined;
  return setOf(set.children.size === 0 || Object.hasOwn(fields as object, SELF), set.children);
};
