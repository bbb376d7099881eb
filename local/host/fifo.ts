/** First in, first out. An array's `shift` and `splice` move all that is left: with 100,000 waiters, each time. */
export interface Fifo<T> {
  size(): number;
  push(item: T): void;
  /** Takes the first one. */
  take(): T | undefined;
  /** The one that `take` returns after `place` others; it stays. */
  at(place: number): T | undefined;
}

/** Places before the first item that are kept until they are as many as the items. */
const MOST_TAKEN = 1_024;

/** Every operation takes the same time, however many items there are, on average. */
export const createFifo = <T>(): Fifo<T> => {
  let items: (T | undefined)[] = [];
  let first = 0;
  const forgetTaken = (): void => {
    if (first < MOST_TAKEN || first * 2 < items.length) return;
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
