import type { Chance } from '../../../shared/adapters/hostile/chance.ts';
import type { IdSource } from '../../../shared/ports/process/id-source.ts';

/** Ids and random numbers that a repeatable generator draws. */
export const idsOf = (chance: Chance): IdSource => ({
  uuid: () => `id-${Math.floor(chance.next() * 2 ** 52).toString(36)}`,
  random: () => chance.next(),
});
