import type { Chance } from '../../../shared/adapters/hostile/chance.ts';

/** A random member of the list. Throws if it has none. */
export const oneOf = <T>(chance: Chance, list: readonly T[]): T => {
  const found = list[Math.floor(chance.upTo(list.length))];
  if (found === undefined) throw new Error('nothing to choose from');
  return found;
};
