import { createChance } from '../../shared/adapters/hostile/chance.ts';

/** Pseudo-random numbers: the same seed gives the same numbers. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number;
}

export const createRandom = (seed: number): Random => {
  const { next } = createChance(seed);
  return { next, between: (least, most) => least + Math.floor(next() * (most - least + 1)) };
};
