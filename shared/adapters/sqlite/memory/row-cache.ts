import type { StoredRow } from './stored-row.ts';

/** The rows that were written or read last, by resource and path. What it does not have may be in the file. */
export interface RowCache {
  get(resource: string, path: string): StoredRow | undefined;
  set(resource: string, path: string, row: StoredRow): void;
  /** Call it when the row was removed, or its write was undone. */
  remove(resource: string, path: string): void;
  clear(): void;
}

/** Rows have a few hundred bytes besides their bodies. */
const CHARACTERS_OF_A_ROW = 200;

/**
 * Keeps rows of at most `most` characters. It has two halves: what is used goes to the young half, and when that is full, the old half is
 * dropped and the young one takes its place. So a row stays at least until half of the memory was used after it.
 */
export const createRowCache = (most: number): RowCache => {
  let young = new Map<string, StoredRow>();
  let old = new Map<string, StoredRow>();
  let characters = 0;
  const put = (id: string, row: StoredRow): void => {
    young.set(id, row);
    characters += row.characters + CHARACTERS_OF_A_ROW;
    if (characters < most / 2) return;
    [old, young, characters] = [young, new Map(), 0];
  };
  return {
    get: (resource, path) => {
      const id = `${resource}/${path}`;
      const found = young.get(id);
      if (found) return found;
      const kept = old.get(id);
      if (kept) put(id, kept);
      return kept;
    },
    set: (resource, path, row) => {
      old.delete(`${resource}/${path}`);
      put(`${resource}/${path}`, row);
    },
    remove: (resource, path) => {
      old.delete(`${resource}/${path}`);
      young.delete(`${resource}/${path}`);
    },
    clear: () => {
      [old, young, characters] = [new Map(), new Map(), 0];
    },
  };
};
