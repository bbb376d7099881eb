import type { Migration } from '../migration.ts';

/** Creates the tables of the change feed and the queues, from which the controllers get their work. */
export const feedAndQueues: Migration = {
  objects: `
    CREATE TABLE change (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      resource TEXT NOT NULL,
      path TEXT NOT NULL,
      before_uid TEXT,
      before_revision INTEGER,
      before_body BLOB,
      before_facts TEXT,
      after_uid TEXT NOT NULL,
      after_revision INTEGER NOT NULL,
      after_body BLOB,
      after_facts TEXT
    );
    CREATE TABLE acknowledged (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL);

    CREATE TABLE message (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      queue TEXT NOT NULL,
      body TEXT NOT NULL,
      sent_at INTEGER NOT NULL,
      visible_at INTEGER,
      receive_count INTEGER NOT NULL
    );
    CREATE INDEX message_by_queue ON message (queue, visible_at);
    CREATE INDEX message_by_instant ON message (visible_at);
    CREATE INDEX message_by_age ON message (sent_at);
  `,
  heartbeats: '',
};
