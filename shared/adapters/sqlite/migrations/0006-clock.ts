import type { Migration } from './migration.ts';

/** Data by which the next start detects that the machine's clock was set, and how far the stored instants were shifted. */
export const clock: Migration = {
  objects: `
    CREATE TABLE clock_step (id INTEGER PRIMARY KEY CHECK (id = 1), alive_at INTEGER NOT NULL, by_ms INTEGER NOT NULL);
  `,
  heartbeats: `
    ALTER TABLE alive ADD COLUMN uptime INTEGER;
    ALTER TABLE alive ADD COLUMN boot TEXT;
  `,
};
