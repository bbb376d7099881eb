import type { Migration } from '../migration.ts';

/** How far the sweep over all claims and counters has come, and whether one has ended: one row. */
export const capacitySweep: Migration = {
  objects: 'CREATE TABLE capacity_sweep (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL);',
  heartbeats: '',
};
