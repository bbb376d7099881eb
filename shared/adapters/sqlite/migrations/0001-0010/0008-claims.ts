import type { Migration } from '../migration.ts';

/** What bound pods take of their nodes: a claim per pod, and the sums per node. */
export const claims: Migration = {
  objects: `
    CREATE TABLE claim (
      id INTEGER PRIMARY KEY,
      node TEXT NOT NULL,
      uid TEXT NOT NULL,
      body TEXT NOT NULL
    );
    CREATE UNIQUE INDEX claim_by_pod ON claim (node, uid);
    CREATE TABLE node_counters (node TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
  `,
  heartbeats: '',
};
