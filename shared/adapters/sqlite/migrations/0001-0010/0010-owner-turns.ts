import type { Migration } from '../migration.ts';

/** Turns: for one owner, one run of a controller at a time makes and removes children. */
export const ownerTurns: Migration = {
  objects:
    'CREATE TABLE owner_turn (owner TEXT PRIMARY KEY, body TEXT NOT NULL, expires_at INTEGER NOT NULL);',
  heartbeats: '',
};
