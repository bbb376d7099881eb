/** Chance that comes again: the same seed, the same numbers. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** Whole milliseconds or counts, both ends included. */
  between(least: number, most: number): number;
}

/** mulberry32. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, between: (least, most) => least + Math.floor(next() * (most - least + 1)) };
};
