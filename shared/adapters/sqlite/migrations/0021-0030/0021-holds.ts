import type { Migration } from '../migration.ts';

/** The book of holds, and the epoch of it that each counter knows. */
export const holds: Migration = {
  objects: `CREATE TABLE hold_book (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL);
    ALTER TABLE counter ADD COLUMN hold_epoch INTEGER NOT NULL DEFAULT 0`,
  heartbeats: '',
};
