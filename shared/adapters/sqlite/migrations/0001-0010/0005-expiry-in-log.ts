import type { Migration } from '../migration.ts';

/** Adds to log entries when their object expires. Existing entries lack it; they are removed within three hours. */
export const expiryInLog: Migration = {
  objects: `
    ALTER TABLE slot ADD COLUMN object_expires_at INTEGER;
  `,
  heartbeats: '',
};
