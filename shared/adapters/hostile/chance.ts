/** A repeatable source of chance: the same seed gives the same faults (mulberry32, a public-domain generator). */
export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** True with this probability. */
  hit(probability: number): boolean;
  /** In [0, max). */
  upTo(max: number): number;
  /** A stream of its own for a part, so that one more draw there changes nothing here. */
  fork(): Chance;
}

export const createChance = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    hit: (probability) => next() < probability,
    upTo: (max) => next() * max,
    fork: () => createChance(Math.floor(next() * 2 ** 32)),
  };
};
