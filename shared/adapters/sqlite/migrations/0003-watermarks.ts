import type { Migration } from './migration.ts';

/** Watermarks store since when they are valid. Older ones have long been visible. */
export const watermarks: Migration = {
  objects: `
    ALTER TABLE counter ADD COLUMN watermarks TEXT NOT NULL DEFAULT '[]';
    UPDATE counter SET watermarks = json_array(json_object('revision', resolved, 'at', 0)) WHERE resolved > seed;
    ALTER TABLE counter DROP COLUMN resolved;
  `,
  heartbeats: '',
};
