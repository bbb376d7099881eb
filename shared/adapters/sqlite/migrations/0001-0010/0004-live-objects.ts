import type { Migration } from '../migration.ts';

/** Adds an index without markers, so that pages do not read them. */
export const liveObjects: Migration = {
  objects: `
    CREATE INDEX live_object ON object (resource, path) WHERE body IS NOT NULL;
  `,
  heartbeats: '',
};
