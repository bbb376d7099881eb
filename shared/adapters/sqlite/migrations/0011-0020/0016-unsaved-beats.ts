import type { Migration } from '../migration.ts';

/** Beats before `before` may have been answered and lost by a crash. There is no row after a regular end. */
export const unsavedBeats: Migration = {
  objects: '',
  heartbeats: `
    CREATE TABLE unsaved (id INTEGER PRIMARY KEY CHECK (id = 1), before INTEGER NOT NULL);
  `,
};
