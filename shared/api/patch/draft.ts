/**
 * A document that a patch changes step by step. A container becomes a draft, once, when something in it changes; all others
 * stay as they are and are never written to.
 */
import type { JsonObject } from '../json-object.ts';
import { isObject } from '../json-object.ts';
import { DraftList } from './draft-list.ts';
import { rejectedPatch } from './patch-error.ts';

/** Members lie in a map, so that one named `__proto__` is one like any other. */
export type Draft = Map<string, unknown> | DraftList;

type List = readonly unknown[] | DraftList;

const isDraft = (value: unknown): value is Draft => value instanceof Map || value instanceof DraftList;
const isList = (value: unknown): value is List => Array.isArray(value) || value instanceof DraftList;

const INDEX = /^[+-]?\d+$/;

/** Indices may be negative: they count from the end. */
const indexIn = (token: string, length: number): number => {
  const index = INDEX.test(token) ? Number(token) : Number.NaN;
  const counted = index < 0 ? index + length : index;
  if (!(counted >= 0 && counted < length)) throw rejectedPatch();
  return counted;
};

const elementOf = (list: List, token: string): unknown => {
  const index = indexIn(token, list.length);
  return list instanceof DraftList ? list.get(index) : list[index];
};

const childOf = (container: unknown, token: string): unknown => {
  if (isList(container)) return elementOf(container, token);
  if (container instanceof Map) return container.get(token);
  if (!isObject(container)) throw rejectedPatch();
  return Object.hasOwn(container, token) ? container[token] : undefined;
};

export const draftOf = (value: unknown): Draft => {
  if (isDraft(value)) return value;
  if (Array.isArray(value)) return new DraftList(value);
  if (!isObject(value)) throw rejectedPatch();
  return new Map(Object.entries(value));
};

/** Sets a member, or an element that is there. */
export const setChild = (draft: Draft, token: string, value: unknown): void => {
  if (draft instanceof DraftList) draft.set(indexIn(token, draft.length), value);
  else draft.set(token, value);
};

/** Sets a member, or puts an element before the one at that index; `-` is behind the last. */
export const addChild = (draft: Draft, token: string, value: unknown): void => {
  if (!(draft instanceof DraftList)) draft.set(token, value);
  else draft.insert(token === '-' ? draft.length : indexIn(token, draft.length + 1), value);
};

export const removeChild = (draft: Draft, token: string): void => {
  if (draft instanceof DraftList) draft.remove(indexIn(token, draft.length));
  else if (!draft.delete(token)) throw rejectedPatch();
};

/** The container in which `path` ends, made a draft with all on the way to it. */
export const holderAt = (root: Draft, path: readonly string[]): Draft => {
  let holder = root;
  for (const token of path.slice(0, -1)) {
    const child = childOf(holder, token);
    const inner = draftOf(child);
    if (inner !== child) setChild(holder, token, inner);
    holder = inner;
  }
  return holder;
};

/** What lies at `path`; `undefined` for a member that is not there. */
export const valueAt = (root: Draft, path: readonly string[]): unknown => {
  let value: unknown = root;
  for (const token of path) value = childOf(value, token);
  return value;
};

/** What lies directly in a container, draft or not. */
const within = (value: unknown): readonly unknown[] => {
  if (value instanceof Map) return [...value.values()];
  if (value instanceof DraftList) return value.elements();
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
};

/** Whether `value` has more levels than so many. */
export const isDeeper = (value: unknown, levels: number): boolean => {
  let level = within(value);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap(within);
  }
  return false;
};

/** The value without drafts. */
export const finished = (value: unknown): unknown => {
  if (value instanceof DraftList) return value.elements().map(finished);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries(
    [...(value as Map<string, unknown>)].map(([name, inner]) => [name, finished(inner)]),
  );
};

const sameMembers = (draft: ReadonlyMap<string, unknown>, value: JsonObject): boolean => {
  const names = Object.keys(value);
  return (
    draft.size === names.length &&
    names.every((name) => draft.has(name) && equals(draft.get(name), value[name]))
  );
};

/** Whether a value that may have drafts in it equals one that has none; costs no more than the smaller of both. */
export const equals = (value: unknown, expected: unknown): boolean => {
  if (isList(value)) {
    if (!Array.isArray(expected) || value.length !== expected.length) return false;
    const elements = value instanceof DraftList ? value.elements() : value;
    return elements.every((element, index) => equals(element, expected[index]));
  }
  if (value instanceof Map) return isObject(expected) && sameMembers(value as Map<string, unknown>, expected);
  if (!isObject(value)) return value === expected;
  if (!isObject(expected)) return false;
  const names = Object.keys(expected);
  return (
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name) && equals(value[name], expected[name]))
  );
};
