import type { IdSource } from '../../shared/ports/id-source.ts';

/** Ids that count up, and a constant in place of random numbers, so that runs are repeatable. */
export const createIds = (): IdSource => {
  let taken = 0;
  return {
    uuid: () => {
      taken += 1;
      return `00000000-0000-4000-8000-${String(taken).padStart(12, '0')}`;
    },
    random: () => 0.5,
  };
};
