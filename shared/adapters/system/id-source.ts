import { randomUUID } from 'node:crypto';
import type { IdSource } from '../../ports/id-source.ts';

/** UUIDs and chance of the machine. */
export const systemIds: IdSource = {
  uuid: () => randomUUID(),
  random: () => Math.random(),
};
