import type { Migration } from '../migration.ts';

/** Events that wait for their sinks, and what was dropped of them. */
export const notices: Migration = {
  objects: `
    CREATE TABLE notice (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      sink TEXT NOT NULL,
      id TEXT NOT NULL,
      subject TEXT NOT NULL,
      bundle TEXT NOT NULL,
      severity TEXT NOT NULL,
      type TEXT NOT NULL,
      stored_at INTEGER NOT NULL,
      body TEXT NOT NULL
    );
    CREATE UNIQUE INDEX notice_by_id ON notice (sink, id);
    CREATE INDEX notice_by_sink ON notice (sink, position);
    CREATE TABLE notice_sink (sink TEXT PRIMARY KEY, dropped TEXT NOT NULL);
  `,
  heartbeats: '',
};
