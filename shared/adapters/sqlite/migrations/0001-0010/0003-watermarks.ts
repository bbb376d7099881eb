import type { Migration } from '../migration.ts';

/** Adds to each watermark the instant since when it is valid. Existing ones get instant 0, because all reads show their commits. */
export const watermarks: Migration = {
  objects: `
    ALTER TABLE counter ADD COLUMN watermarks TEXT NOT NULL DEFAULT '[]';
    UPDATE counter SET watermarks = json_array(json_object('revision', resolved, 'at', 0)) WHERE resolved > seed;
    ALTER TABLE counter DROP COLUMN resolved;
  `,
  heartbeats: '',
};
