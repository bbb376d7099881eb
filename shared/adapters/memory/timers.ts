import type { EpochMs } from '../../kube/values/time.ts';

interface Timer {
  readonly at: EpochMs;
  /** Order of arrival: of several sleepers for one instant, the one that came first is woken first. */
  readonly order: number;
  readonly wake: () => void;
  isRemoved: boolean;
}

const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

const swap = (heap: Timer[], a: number, b: number): void => {
  const [first, second] = [heap[a], heap[b]];
  if (!first || !second) return;
  heap[a] = second;
  heap[b] = first;
};

const isOutOfOrder = (heap: readonly Timer[], parent: number, child: number): boolean => {
  const [above, below] = [heap[parent], heap[child]];
  return above !== undefined && below !== undefined && isBefore(below, above);
};

const rise = (heap: Timer[]): void => {
  for (let at = heap.length - 1; at > 0; ) {
    const parent = (at - 1) >> 1;
    if (!isOutOfOrder(heap, parent, at)) return;
    swap(heap, parent, at);
    at = parent;
  }
};

const sink = (heap: Timer[]): void => {
  for (let at = 0; ; ) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    const child = isOutOfOrder(heap, left, right) ? right : left;
    if (!isOutOfOrder(heap, at, child)) return;
    swap(heap, at, child);
    at = child;
  }
};

/**
 * Creates the sleepers of a virtual clock, ordered by instant. They are a binary heap, because the outage of a large zone can
 * delay tens of thousands of messages at once.
 */
export const createTimers = () => {
  const heap: Timer[] = [];
  let added = 0;
  const takeAny = (): Timer | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    heap[0] = last;
    sink(heap);
    return first;
  };
  return {
    /** How many sleep. */
    count: (): number => heap.filter(({ isRemoved }) => !isRemoved).length,
    /** Returns what removes it again. */
    add: (at: EpochMs, wake: () => void): (() => void) => {
      const timer: Timer = { at, order: added, wake, isRemoved: false };
      heap.push(timer);
      added += 1;
      rise(heap);
      return () => {
        timer.isRemoved = true;
      };
    },
    /** Removes and returns the earliest sleeper; `undefined` if there is none. */
    take: (): Pick<Timer, 'at' | 'wake'> | undefined => {
      let first = takeAny();
      while (first?.isRemoved) first = takeAny();
      return first;
    },
  };
};
