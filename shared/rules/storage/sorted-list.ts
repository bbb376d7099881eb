/** A sorted list in chunks: to insert or remove moves a few hundred entries at most, however long the list is. */

/** Entries in the order of `compare`, which must tell all of them apart. */
export interface SortedList<T> {
  add(entry: T): void;
  /** Removes the entry that is equal by `compare`, if there is one. */
  remove(entry: T): void;
  /** The entries from the first one that is not before `bound`, in order. */
  from(bound: T): Iterable<T>;
  size(): number;
}

/** A chunk that is longer is split. */
const LONGEST = 512;

/** Index of the first element for which `isBehind` holds; it holds for all after it. */
const firstIndex = <T>(all: readonly T[], isBehind: (one: T) => boolean): number => {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(all[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Creates a list without entries. To add an entry that is equal to one in the list replaces that one. */
export const createSortedList = <T>(compare: (a: T, b: T) => number): SortedList<T> => {
  /** None is empty. */
  const chunks: T[][] = [];
  let size = 0;

  /** The chunk where the entry is, or has to be; the last one if it is behind all. */
  const chunkOf = (entry: T): number => {
    const index = firstIndex(chunks, (chunk) => compare(chunk.at(-1) as T, entry) >= 0);
    return Math.min(index, Math.max(0, chunks.length - 1));
  };
  const placeIn = (chunk: readonly T[], entry: T): number =>
    firstIndex(chunk, (one) => compare(one, entry) >= 0);
  const isAt = (chunk: readonly T[], place: number, entry: T): boolean =>
    place < chunk.length && compare(chunk[place] as T, entry) === 0;

  return {
    add: (entry) => {
      const index = chunkOf(entry);
      const chunk = chunks[index] ?? [];
      if (chunks.length === 0) chunks.push(chunk);
      const place = placeIn(chunk, entry);
      const isThere = isAt(chunk, place, entry);
      chunk.splice(place, isThere ? 1 : 0, entry);
      if (!isThere) size += 1;
      if (chunk.length > LONGEST) chunks.splice(index + 1, 0, chunk.splice(LONGEST >>> 1));
    },
    remove: (entry) => {
      const index = chunkOf(entry);
      const chunk = chunks[index] ?? [];
      const place = placeIn(chunk, entry);
      if (!isAt(chunk, place, entry)) return;
      chunk.splice(place, 1);
      size -= 1;
      if (chunk.length === 0) chunks.splice(index, 1);
    },
    *from(bound) {
      const first = chunkOf(bound);
      for (let index = first; index < chunks.length; index += 1) {
        const chunk = chunks[index] ?? [];
        for (let place = index === first ? placeIn(chunk, bound) : 0; place < chunk.length; place += 1)
          yield chunk[place] as T;
      }
    },
    size: () => size,
  };
};
