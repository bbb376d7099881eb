import type { Migration } from './migration.ts';

/** Pages skip markers without reading them. */
export const liveObjects: Migration = {
  objects: `
    CREATE INDEX live_object ON object (resource, path) WHERE body IS NOT NULL;
  `,
  heartbeats: '',
};
