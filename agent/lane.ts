/** Work in the order in which it comes, some at a time. */

/** Each work that is added begins at once if there is room, else when its turn comes. */
export interface Lane {
  /** `work` never rejects. */
  add(work: () => Promise<void>): void;
  /** Resolves when no work runs or waits. */
  idle(): Promise<void>;
}

/** `most`: how many run at the same time. */
export const createLane = (most: number): Lane => {
  // A set: to take the first of a long array would move all others.
  const waiting = new Set<() => Promise<void>>();
  let running = 0;
  let whenIdle = Promise.withResolvers<void>();
  whenIdle.resolve();
  const next = (): void => {
    if (running === 0 && waiting.size === 0) whenIdle.resolve();
    while (running < most) {
      const [work] = waiting;
      if (!work) return;
      waiting.delete(work);
      running += 1;
      void work().finally(() => {
        running -= 1;
        next();
      });
    }
  };
  return {
    add: (work) => {
      if (running === 0) whenIdle = Promise.withResolvers<void>();
      waiting.add(work);
      next();
    },
    idle: () => whenIdle.promise,
  };
};

/** Resolves or rejects as the work does, which waits for room in the lane. */
export const inLane = <T>(lane: Lane, work: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => lane.add(() => work().then(resolve, reject)));
