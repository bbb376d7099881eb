import { randomUUID } from 'node:crypto';
import type { IdSource } from '../../ports/process/id-source.ts';

/** Random UUIDs and numbers of the machine. */
export const systemIds: IdSource = {
  uuid: () => randomUUID(),
  random: () => Math.random(),
};
