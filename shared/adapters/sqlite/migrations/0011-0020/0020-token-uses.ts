import type { Migration } from '../migration.ts';

/** How often each token was used that may be used a number of times. */
export const tokenUses: Migration = {
  objects: 'CREATE TABLE token_use (id TEXT PRIMARY KEY, uses INTEGER NOT NULL, expires_at INTEGER NOT NULL)',
  heartbeats: '',
};
