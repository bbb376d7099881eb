/** Counters and floor samples of the change log. */
import type { Counter, FloorSample, ObjectLog, Revision } from '../../ports/object-log.ts';
import type { Database } from './database.ts';

const TAKE = `INSERT INTO counter (resource, counter, resolved, seed) VALUES (?1, ?2 + ?3, ?2, ?2)
  ON CONFLICT (resource) DO UPDATE SET counter = counter + ?3 RETURNING counter`;
const RAISE = 'UPDATE counter SET resolved = ?2 WHERE resource = ?1 AND resolved < ?2';

/**
 * Numbers need no sync of their own: a number that matters has a slot, whose commit is later in the same file, and a
 * seed that is lost is followed by a higher one.
 */
export const createNumbers = (
  objects: Database,
): Pick<ObjectLog, 'takeRevisions' | 'counter' | 'raiseResolved' | 'addFloorSample' | 'floorSamples'> => {
  const take = objects.prepare<{ counter: Revision }>(TAKE);
  const read = objects.prepare<Counter>('SELECT counter, resolved, seed FROM counter WHERE resource = ?');
  const raise = objects.prepare(RAISE);
  const addSample = objects.prepare('INSERT OR IGNORE INTO sample VALUES (?, ?, ?, ?)');
  const samples = objects.prepare<FloorSample>(
    'SELECT minute, counter FROM sample WHERE resource = ? ORDER BY minute',
  );
  return {
    takeRevisions: async (resource, count, now) =>
      objects.relaxed(() => take.get(resource, now, count)?.counter ?? now),
    counter: async (resource) => {
      const found = read.get(resource);
      return found && { ...found };
    },
    raiseResolved: async (resource, revision) => {
      objects.relaxed(() => raise.run(resource, revision));
    },
    addFloorSample: async (resource, { minute, counter }, expiresAt) => {
      objects.relaxed(() => addSample.run(resource, minute, counter, expiresAt));
    },
    floorSamples: async (resource) => samples.all(resource).map((sample) => ({ ...sample })),
  };
};
