import type { StoredRow } from './stored-row.ts';

/** The rows that were written or read last, by resource and path. What it does not have may be in the file. */
export interface RowCache {
  get(resource: string, path: string): StoredRow | undefined;
  set(resource: string, path: string, row: StoredRow): void;
  /** As `get`, for a list, which may be longer than the memory: no other row is dropped for it. */
  listed(resource: string, path: string): StoredRow | undefined;
  /** As `set`, for a list: a row for which another would be dropped is not kept. */
  offer(resource: string, path: string, row: StoredRow): void;
  /** Call it when the row was removed, or its write was undone. */
  remove(resource: string, path: string): void;
  clear(): void;
}

/**
 * Keeps rows of at most `most` bytes. It has two halves: what is used goes to the young half, and when that is full, the old half is
 * dropped and the young one takes its place. So a row stays at least until half of the memory was used after it. Lists fill the young half,
 * and never turn it into the old one: a list that is longer than the memory would drop each row before it comes back to it.
 */
export const createRowCache = (most: number): RowCache => {
  let young = new Map<string, StoredRow>();
  let old = new Map<string, StoredRow>();
  let bytes = 0;
  const put = (id: string, row: StoredRow): void => {
    young.set(id, row);
    bytes += row.bytes;
    if (bytes < most / 2) return;
    [old, young, bytes] = [young, new Map(), 0];
  };
  const offer = (id: string, row: StoredRow): void => {
    if (bytes + row.bytes < most / 2) put(id, row);
  };
  const find = (id: string, use: typeof put): StoredRow | undefined => {
    const found = young.get(id);
    if (found) return found;
    const kept = old.get(id);
    if (kept) use(id, kept);
    return kept;
  };
  return {
    get: (resource, path) => find(`${resource}/${path}`, put),
    set: (resource, path, row) => put(`${resource}/${path}`, row),
    listed: (resource, path) => find(`${resource}/${path}`, offer),
    offer: (resource, path, row) => offer(`${resource}/${path}`, row),
    remove: (resource, path) => {
      old.delete(`${resource}/${path}`);
      young.delete(`${resource}/${path}`);
    },
    clear: () => {
      [old, young, bytes] = [new Map(), new Map(), 0];
    },
  };
};
