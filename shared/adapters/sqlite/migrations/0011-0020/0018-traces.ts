import type { Migration } from '../migration.ts';

/** The trace in which a change was made, and a message sent, as a `traceparent`; there is none unless traces are exported. */
export const traces: Migration = {
  objects: `
    ALTER TABLE change ADD COLUMN trace TEXT;
    ALTER TABLE message ADD COLUMN trace TEXT;
  `,
  heartbeats: '',
};
