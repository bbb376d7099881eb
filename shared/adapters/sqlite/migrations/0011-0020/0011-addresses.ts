import type { Migration } from '../migration.ts';

/** Who holds which blocks of the cluster CIDRs, which Nodes wait for one, and what is stored once for each range. */
export const addresses: Migration = {
  objects: `
    CREATE TABLE address_block (
      range TEXT NOT NULL,
      place INTEGER NOT NULL,
      holders TEXT NOT NULL,
      PRIMARY KEY (range, place)
    ) WITHOUT ROWID;
    CREATE TABLE address_range (range TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE address_waiting (uid TEXT PRIMARY KEY, name TEXT NOT NULL, since INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE address_entered (id INTEGER PRIMARY KEY CHECK (id = 1), ranges TEXT NOT NULL);
  `,
  heartbeats: '',
};
