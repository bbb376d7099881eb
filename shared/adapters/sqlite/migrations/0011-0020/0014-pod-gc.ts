import type { Migration } from '../migration.ts';

/**
 * Where terminated pods stand in the order of their deletion, and what the pod garbage collector has seen first at which instant. Older pods
 * get their place with their next write.
 */
export const podGc: Migration = {
  objects: `
    ALTER TABLE object ADD COLUMN terminated_place TEXT;
    CREATE INDEX terminated_pods ON object (path, terminated_place) WHERE terminated_place IS NOT NULL;
    CREATE TABLE sighting (
      id INTEGER PRIMARY KEY,
      topic TEXT NOT NULL,
      name TEXT NOT NULL,
      body TEXT NOT NULL
    );
    CREATE UNIQUE INDEX sighting_by_name ON sighting (topic, name);
  `,
  heartbeats: '',
};
