import type { Migration } from '../migration.ts';

/** `beat`: groups of beats that are newer than the rows of their items. `beats_to`: the last group that a row is newer than. */
export const beatGroups: Migration = {
  objects: '',
  heartbeats: `
    CREATE TABLE beat (seq INTEGER PRIMARY KEY, body TEXT NOT NULL);
    ALTER TABLE item ADD COLUMN beats_to INTEGER NOT NULL DEFAULT 0;
  `,
};
