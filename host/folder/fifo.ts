/** A queue, first in, first out. Unlike `Array.shift`, taking the first item does not move all the others. */
export interface Fifo<T> {
  size(): number;
  push(item: T): void;
  /** Removes and returns the first item. */
  take(): T | undefined;
  /** Peeks: `at(0)` is what `take` would return next. */
  at(place: number): T | undefined;
}

/** Fewer taken places than this are never removed; more are removed once they are as many as the waiting items. */
const MIN_TAKEN_TO_COMPACT = 1_024;

/** Each operation takes amortized constant time. */
export const createFifo = <T>(): Fifo<T> => {
  let items: (T | undefined)[] = [];
  let first = 0;
  const forgetTaken = (): void => {
    if (first < MIN_TAKEN_TO_COMPACT || first * 2 < items.length) return;
    items = items.slice(first);
    first = 0;
  };
  return {
    size: () => items.length - first,
    push: (item) => void items.push(item),
    take: () => {
      if (first === items.length) return undefined;
      const item = items[first];
      items[first] = undefined;
      first += 1;
      forgetTaken();
      return item;
    },
    at: (place) => items[first + place],
  };
};
