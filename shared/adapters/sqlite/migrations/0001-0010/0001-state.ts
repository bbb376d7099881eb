import type { Migration } from '../migration.ts';

/** Creates the tables of objects, change log, control items and the roll call. */
export const state: Migration = {
  objects: `
    CREATE TABLE object (
      id INTEGER PRIMARY KEY,
      resource TEXT NOT NULL,
      path TEXT NOT NULL,
      uid TEXT NOT NULL,
      revision INTEGER NOT NULL,
      body BLOB,
      facts TEXT,
      node_name TEXT,
      expires_at INTEGER
    );
    CREATE UNIQUE INDEX object_by_path ON object (resource, path);
    CREATE INDEX node_health ON object (path, uid, facts) WHERE resource = 'nodes' AND body IS NOT NULL;
    CREATE INDEX pods_by_node ON object (node_name, path) WHERE node_name IS NOT NULL;
    CREATE INDEX object_by_expiry ON object (expires_at) WHERE expires_at IS NOT NULL;

    CREATE TABLE slot (
      id INTEGER PRIMARY KEY,
      resource TEXT NOT NULL,
      revision INTEGER NOT NULL,
      attempt TEXT NOT NULL,
      at INTEGER NOT NULL,
      type TEXT,
      path TEXT,
      body BLOB,
      before BLOB
    );
    CREATE UNIQUE INDEX slot_by_revision ON slot (resource, revision);
    CREATE INDEX slot_by_instant ON slot (at);

    CREATE TABLE counter (
      resource TEXT PRIMARY KEY,
      counter INTEGER NOT NULL,
      resolved INTEGER NOT NULL,
      seed INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE sample (
      resource TEXT NOT NULL,
      minute INTEGER NOT NULL,
      counter INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (resource, minute)
    ) WITHOUT ROWID;

    CREATE TABLE pass (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL);
    CREATE TABLE zone (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE deadline (
      path TEXT PRIMARY KEY,
      fire_at INTEGER NOT NULL,
      body TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX deadline_by_instant ON deadline (fire_at);
    CREATE INDEX deadline_by_expiry ON deadline (expires_at);
  `,
  heartbeats: `
    CREATE TABLE item (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE,
      uid TEXT,
      observed_at INTEGER,
      lease_at INTEGER,
      status_at INTEGER,
      plain_at INTEGER,
      relay_at INTEGER,
      times TEXT,
      version INTEGER,
      work_revision INTEGER,
      lease TEXT,
      expires_at INTEGER
    );
    CREATE TABLE alive (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL);
  `,
};
