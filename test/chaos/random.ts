import { createChance } from '../../shared/adapters/hostile/chance.ts';

/** Chance that comes again: the same seed, the same numbers. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** Whole milliseconds or counts, both ends included. */
  between(least: number, most: number): number;
}

export const createRandom = (seed: number): Random => {
  const { next } = createChance(seed);
  return { next, between: (least, most) => least + Math.floor(next() * (most - least + 1)) };
};
