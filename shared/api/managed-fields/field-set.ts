/**
 * Sets of fields of an object, as a tree of path elements: `f:name`, `k:{"key":"value"}`, `v:"element"`.
 * Source: structured-merge-diff v6 `fieldpath/set.go`.
 */
import type { JsonObject } from '../json-object.ts';
import { isObject } from '../json-object.ts';

export interface FieldSet {
  /** Whether the field at this place is in the set itself. */
  isMember: boolean;
  readonly children: Map<string, FieldSet>;
}

export const emptySet = (): FieldSet => ({ isMember: false, children: new Map() });

export const isEmptySet = ({ isMember, children }: FieldSet): boolean =>
  !isMember && [...children.values()].every(isEmptySet);

/** The part of a growing set that lies below `element`. */
export const childOf = (set: FieldSet, element: string): FieldSet => {
  const found = set.children.get(element);
  if (found) return found;
  const child = emptySet();
  set.children.set(element, child);
  return child;
};

export const insertPath = (set: FieldSet, path: readonly string[]): void => {
  path.reduce(childOf, set).isMember = true;
};

const NOTHING: FieldSet = Object.freeze(emptySet());

/** What of `a` is kept; `b` is looked at only where `a` has something, however large it is. */
const kept = (a: FieldSet, b: FieldSet, keeps: (inB: boolean) => boolean): FieldSet => {
  const set: FieldSet = { isMember: a.isMember && keeps(b.isMember), children: new Map() };
  for (const [element, inner] of a.children) {
    const child = kept(inner, b.children.get(element) ?? NOTHING, keeps);
    if (child.isMember || child.children.size > 0) set.children.set(element, child);
  }
  return set;
};

const addAll = (into: FieldSet, { isMember, children }: FieldSet): void => {
  if (isMember) into.isMember = true;
  for (const [element, child] of children) addAll(childOf(into, element), child);
};

/** What is in any of the sets. */
export const union = (...sets: readonly FieldSet[]): FieldSet => {
  const all = emptySet();
  for (const set of sets) addAll(all, set);
  return all;
};
export const intersection = (a: FieldSet, b: FieldSet): FieldSet => kept(a, b, (inB) => inB);
/** Field by field: a field stays although the one that it lies in goes. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => kept(a, b, (inB) => !inB);

/** Without the subtrees at `paths`. */
export const withoutSubtrees = (set: FieldSet, paths: readonly (readonly string[])[]): FieldSet => {
  const gone = new Set(paths.flatMap((path) => (path.length === 1 ? path : [])));
  const children = [...set.children].flatMap(([element, child]): [string, FieldSet][] => {
    if (gone.has(element)) return [];
    const below = paths.flatMap(([first, ...rest]) => (first === element && rest.length > 0 ? [rest] : []));
    const kept = below.length > 0 ? withoutSubtrees(child, below) : child;
    return kept.isMember || kept.children.size > 0 ? [[element, kept]] : [];
  });
  return { isMember: set.isMember, children: new Map(children) };
};

/** Every path in the set; a place's own fields before those further in. */
export const pathsOf = (set: FieldSet, at: readonly string[] = []): readonly (readonly string[])[] => {
  const children = [...set.children].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...children.flatMap(([element, { isMember }]) => (isMember ? [[...at, element]] : [])),
    ...children.flatMap(([element, child]) => pathsOf(child, [...at, element])),
  ];
};

const encodeChild = (set: FieldSet): JsonObject =>
  set.isMember && set.children.size > 0 ? { '.': {}, ...toFieldsV1(set) } : toFieldsV1(set);

/** The wire form `FieldsV1`. */
export const toFieldsV1 = ({ children }: FieldSet): JsonObject =>
  Object.fromEntries(
    [...children]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([element, child]) => [element, encodeChild(child)]),
  );

/** Reads the wire form; `undefined` when it is none. */
export const fromFieldsV1 = (fields: unknown): FieldSet | undefined => {
  if (!isObject(fields)) return undefined;
  const set = emptySet();
  for (const [element, inner] of Object.entries(fields)) {
    if (element === '.') continue;
    const child = /^[fkvi]:/.test(element) ? fromFieldsV1(inner) : undefined;
    if (!child) return undefined;
    child.isMember = child.children.size === 0 || Object.hasOwn(inner as object, '.');
    set.children.set(element, child);
  }
  return set;
};
