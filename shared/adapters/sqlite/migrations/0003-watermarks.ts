import type { Migration } from './migration.ts';

/** Watermarks say since when they hold; what was resolved before this step has long been visible. */
export const watermarks: Migration = {
  objects: `
    ALTER TABLE counter ADD COLUMN watermarks TEXT NOT NULL DEFAULT '[]';
    UPDATE counter SET watermarks = json_array(json_object('revision', resolved, 'at', 0)) WHERE resolved > seed;
    ALTER TABLE counter DROP COLUMN resolved;
  `,
  heartbeats: '',
};
