/** A repeatable random generator: the same seed gives the same faults. Source: mulberry32, in the public domain. */
export interface Chance {
  /** A number in [0, 1). */
  next(): number;
  /** True with this probability. */
  hit(probability: number): boolean;
  /** A number in [0, max). */
  upTo(max: number): number;
  /** An independent generator for one part, so that an additional draw there does not change the numbers drawn here. */
  fork(): Chance;
}

/** Creates a generator from a 32-bit seed. */
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
