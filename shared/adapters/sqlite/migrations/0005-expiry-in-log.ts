import type { Migration } from './migration.ts';

/** Entries say when their object ends; earlier ones do not, and go with their slots within three hours. */
export const expiryInLog: Migration = {
  objects: `
    ALTER TABLE slot ADD COLUMN object_expires_at INTEGER;
  `,
  heartbeats: '',
};
