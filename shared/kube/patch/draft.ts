/**
 * A document that a patch changes step by step. A container is copied into a draft when something in it first changes;
 * all other containers are shared with the original and never written to.
 */
import { isObject, type JsonObject } from '../json/json-object.ts';
import { rejectedPatch } from './patch-error.ts';

/** Elements per chunk. A chunk is split above twice this size, so one change moves at most twice as many elements. */
const CHUNK = 256;

/** A list for many successive changes: its elements are kept in chunks, so that a change does not move them all. */
class DraftList {
  length: number;
  readonly #chunks: unknown[][];

  constructor(elements: readonly unknown[]) {
    this.length = elements.length;
    const count = Math.max(1, Math.ceil(elements.length / CHUNK));
    this.#chunks = Array.from({ length: count }, (_, at) => elements.slice(at * CHUNK, (at + 1) * CHUNK));
  }

  /** The chunk that holds the element at `index` (the last chunk if none does), the place in it, and its number. */
  #find(index: number): readonly [chunk: unknown[], at: number, number: number] {
    let [rest, number] = [index, 0];
    while (number < this.#chunks.length - 1 && rest >= (this.#chunks[number]?.length ?? 0)) {
      rest -= this.#chunks[number]?.length ?? 0;
      number += 1;
    }
    return [this.#chunks[number] ?? [], rest, number];
  }

  get(index: number): unknown {
    const [chunk, at] = this.#find(index);
    return chunk[at];
  }

  set(index: number, element: unknown): void {
    const [chunk, at] = this.#find(index);
    chunk[at] = element;
  }

  insert(index: number, element: unknown): void {
    const [chunk, at, number] = this.#find(index);
    chunk.splice(at, 0, element);
    if (chunk.length > 2 * CHUNK) this.#chunks.splice(number + 1, 0, chunk.splice(CHUNK));
    this.length += 1;
  }

  remove(index: number): void {
    const [chunk, at, number] = this.#find(index);
    chunk.splice(at, 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(number, 1);
    this.length -= 1;
  }

  elements(): readonly unknown[] {
    return this.#chunks.flat();
  }
}

/** A container that may be changed. Members are kept in a map, where the name `__proto__` has no special meaning. */
export type Draft = Map<string, unknown> | DraftList;

type List = readonly unknown[] | DraftList;

const isDraft = (value: unknown): value is Draft => value instanceof Map || value instanceof DraftList;
const isList = (value: unknown): value is List => Array.isArray(value) || value instanceof DraftList;

const INDEX = /^[+-]?\d+$/;

/** Parses an index. A negative index counts from the end. Throws 422 for an index outside of the list. */
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

/** Returns a container as a draft. Throws 422 for a value that is not a container. */
export const draftOf = (value: unknown): Draft => {
  if (isDraft(value)) return value;
  if (Array.isArray(value)) return new DraftList(value);
  if (!isObject(value)) throw rejectedPatch();
  return new Map(Object.entries(value));
};

/** Sets a member, or replaces an existing element. */
export const setChild = (draft: Draft, token: string, value: unknown): void => {
  if (draft instanceof DraftList) draft.set(indexIn(token, draft.length), value);
  else draft.set(token, value);
};

/** Sets a member, or inserts an element before the one at that index; `-` appends. */
export const addChild = (draft: Draft, token: string, value: unknown): void => {
  if (!(draft instanceof DraftList)) draft.set(token, value);
  else draft.insert(token === '-' ? draft.length : indexIn(token, draft.length + 1), value);
};

/** Removes a member or an element. Throws 422 if it does not exist. */
export const removeChild = (draft: Draft, token: string): void => {
  if (draft instanceof DraftList) draft.remove(indexIn(token, draft.length));
  else if (!draft.delete(token)) throw rejectedPatch();
};

/** The container of the last token of `path`. It and all containers on the way to it become drafts. */
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

/** The value at `path`; `undefined` for an absent member. */
export const valueAt = (root: Draft, path: readonly string[]): unknown => {
  let value: unknown = root;
  for (const token of path) value = childOf(value, token);
  return value;
};

/** The direct children of a container, draft or not. */
const within = (value: unknown): readonly unknown[] => {
  if (value instanceof Map) return [...value.values()];
  if (value instanceof DraftList) return value.elements();
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
};

/** Whether `value` is nested more than `levels` deep. */
export const isDeeper = (value: unknown, levels: number): boolean => {
  let level = within(value);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap(within);
  }
  return false;
};

/** Converts all drafts in the value back to plain objects and lists. */
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

/**
 * Whether a value that may contain drafts equals one without drafts. Visits at most as many values as the smaller one
 * has.
 */
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
