import type { Migration } from './migration.ts';

/** Log entries store when their object expires. Earlier entries do not, and are removed within three hours. */
export const expiryInLog: Migration = {
  objects: `
    ALTER TABLE slot ADD COLUMN object_expires_at INTEGER;
  `,
  heartbeats: '',
};
