import { createChance } from '../../shared/adapters/hostile/chance.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';

/** Ids that count up, and random numbers that are the same in each run, so that runs are repeatable. */
export const createIds = (): IdSource => {
  const chance = createChance(0);
  let taken = 0;
  return {
    uuid: () => {
      taken += 1;
      return `00000000-0000-4000-8000-${String(taken).padStart(12, '0')}`;
    },
    random: () => chance.next(),
  };
};
