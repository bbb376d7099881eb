import type { Migration } from '../migration.ts';

/** What the controller of an owner reads of a dependent, beside its edge. Older edges have none until their dependent changes. */
export const edgeSummaries: Migration = {
  objects: 'ALTER TABLE owner_edge ADD COLUMN summary TEXT;',
  heartbeats: '',
};
