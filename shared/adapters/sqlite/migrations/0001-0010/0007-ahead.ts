import type { Migration } from '../migration.ts';

/** Items store the latest beat that was taken back because it was ahead of the clock. */
export const ahead: Migration = {
  objects: '',
  heartbeats: `
    ALTER TABLE item ADD COLUMN ahead_at INTEGER;
  `,
};
