import type { Migration } from '../migration.ts';

/** Items store the rosters of relays and what came through them. */
export const relays: Migration = {
  objects: '',
  heartbeats: `
    ALTER TABLE item ADD COLUMN rare TEXT;
  `,
};
