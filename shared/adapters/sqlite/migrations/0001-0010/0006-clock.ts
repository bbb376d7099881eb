import type { Migration } from '../migration.ts';

/** Adds the data by which a start detects that the machine's clock was set, and by how much stored instants were shifted. */
export const clock: Migration = {
  objects: `
    CREATE TABLE clock_step (id INTEGER PRIMARY KEY CHECK (id = 1), alive_at INTEGER NOT NULL, by_ms INTEGER NOT NULL);
  `,
  heartbeats: `
    ALTER TABLE alive ADD COLUMN uptime INTEGER;
    ALTER TABLE alive ADD COLUMN boot TEXT;
  `,
};
