import type { Positioned } from '../changes/source.ts';

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

/** Number of the last events that have at most so many characters in all. */
const lastWithin = (events: readonly Positioned[], characters: number): number => {
  let left = characters;
  for (let last = 0; last < events.length; last += 1) {
    left -= events.at(-1 - last)?.characters ?? 0;
    if (left < 0) return last;
  }
  return events.length;
};

const charactersIn = (events: readonly Positioned[]): number =>
  events.reduce((sum, { characters = 0 }) => sum + characters, 0);

/**
 * Characters of JSON in a ring above which it keeps only half as many: objects may have 1.5 MB, so a number of events alone
 * does not bound its memory.
 */
const MOST_CHARACTERS = 8_388_608;

/**
 * A ring that keeps at least the last `capacity` events and at most about twice as many, or fewer if they are large. Events of
 * one position are kept or dropped together.
 */
export const createRing = <E extends Positioned>(from: number, capacity: number): Ring<E> => {
  let events: E[] = [];
  let [start, end] = [from, from];
  let characters = 0;
  const keepLast = (count: number): void => {
    start = events[events.length - count - 1]?.position ?? start;
    events = events.slice(indexAfter(events, start));
    characters = charactersIn(events);
  };
  const trim = (): void => {
    if (characters > MOST_CHARACTERS) keepLast(lastWithin(events, MOST_CHARACTERS / 2));
    if (events.length >= 2 * capacity) keepLast(capacity);
  };
  return {
    start: () => start,
    end: () => end,
    push: (added, position) => {
      for (const event of added) events.push(event);
      characters += charactersIn(added);
      end = position;
      trim();
    },
    after: (position) => events.slice(indexAfter(events, position)),
  };
};
