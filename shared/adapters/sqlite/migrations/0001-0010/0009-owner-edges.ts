import type { Migration } from '../migration.ts';

/**
 * Who belongs to whom: a row per owner reference. Older objects get theirs by a sweep, because their bodies may be deflated; where
 * there are none, nothing is left to sweep.
 */
export const ownerEdges: Migration = {
  objects: `
    CREATE TABLE owner_edge (
      owner TEXT NOT NULL,
      dependent TEXT NOT NULL,
      controller INTEGER NOT NULL,
      blocking INTEGER NOT NULL,
      PRIMARY KEY (owner, dependent)
    ) WITHOUT ROWID;
    CREATE TABLE owner_edges_complete (id INTEGER PRIMARY KEY CHECK (id = 1));
    INSERT INTO owner_edges_complete (id) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM object);
  `,
  heartbeats: '',
};
