import type { Positioned } from './source.ts';

/** Recent events of a source: all after position `start`, up to `end`. */
export interface Ring<E extends Positioned> {
  readonly start: () => number;
  readonly end: () => number;
  /** Adds the events that a feed returned; `end` is the feed's position after them. */
  push(events: readonly E[], end: number): void;
  /** The events after `position`, which must not be below `start`. */
  after(position: number): readonly E[];
}

/** Index of the first event after `position`. */
const indexAfter = (events: readonly Positioned[], position: number): number => {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.position ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return low;
};

/**
 * A ring that keeps at least the last `capacity` events and at most about twice as many. Events of one position
 * are kept or dropped together.
 */
export const createRing = <E extends Positioned>(from: number, capacity: number): Ring<E> => {
  let events: E[] = [];
  let [start, end] = [from, from];
  const trim = (): void => {
    if (events.length < 2 * capacity) return;
    start = events[events.length - capacity - 1]?.position ?? start;
    events = events.slice(indexAfter(events, start));
  };
  return {
    start: () => start,
    end: () => end,
    push: (added, position) => {
      for (const event of added) events.push(event);
      end = position;
      trim();
    },
    after: (position) => events.slice(indexAfter(events, position)),
  };
};
