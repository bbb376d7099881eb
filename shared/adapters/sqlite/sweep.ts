import { setImmediate as turn } from 'node:timers/promises';
import type { EpochMs } from '../../kube/values/time.ts';
import { pathOf } from '../in-process/tables.ts';
import type { HeartbeatMemory } from './beats/heartbeat-memory.ts';
import type { Database } from './file/database.ts';
import { inSlices, ROWS_AT_ONCE } from './file/turns.ts';

const SLOT_RETENTION_MS = 3 * 3_600_000;
const MESSAGE_RETENTION_MS = 14 * 24 * 3_600_000;

type Batch = (now: EpochMs) => number;

const batchOf = (objects: Database, table: string, condition: string, retentionMs = 0): Batch => {
  const found = `SELECT rowid FROM ${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE}`;
  const remove = objects.prepare(`DELETE FROM ${table} WHERE rowid IN (${found})`);
  // If a power failure undoes the deletion, the next sweep repeats it.
  return (now) => objects.relaxed(() => remove.run(now - retentionMs));
};

/** `removed`: called with each row, which may be in memory, too. */
const expiredRows = (objects: Database, removed: (resource: string, path: string) => void): Batch => {
  const found = `SELECT rowid FROM object WHERE expires_at <= ? LIMIT ${ROWS_AT_ONCE}`;
  const remove = objects.prepare<{ readonly resource: string; readonly path: string }>(
    `DELETE FROM object WHERE rowid IN (${found}) RETURNING resource, path`,
  );
  return (now) => {
    const rows = objects.relaxed(() => remove.all(now));
    for (const { resource, path } of rows) removed(resource, path);
    return rows.length;
  };
};

/** What is in memory of the rows that a sweep removes. */
interface SweptMemory {
  removed(resource: string, path: string): void;
  /** Called before slots from before an instant are removed. */
  forgetBefore(at: EpochMs): void;
}

/** Items have no index by expiry, because each beat would have to update it. */
const sweepHeartbeats = async (heartbeats: HeartbeatMemory, now: EpochMs): Promise<number> => {
  let removed = 0;
  for await (const items of inSlices(heartbeats.values())) {
    const expired = items.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
    for (const item of expired) heartbeats.remove(pathOf(item));
    removed += expired.length;
  }
  return removed;
};

/**
 * Returns a function that removes the rows that have expired at `now` (ms), and returns their number. It works in batches and
 * yields to the event loop between them.
 */
export const createSweep = (
  objects: Database,
  heartbeats: HeartbeatMemory,
  { removed, forgetBefore }: SweptMemory,
): ((now: EpochMs) => Promise<number>) => {
  const batches = [
    expiredRows(objects, removed),
    batchOf(objects, 'slot', 'at < ?', SLOT_RETENTION_MS),
    batchOf(objects, 'message', 'sent_at < ?', MESSAGE_RETENTION_MS),
  ];
  const samples = objects.prepare('DELETE FROM sample WHERE expires_at <= ?');
  const deadlines = objects.prepare('DELETE FROM deadline WHERE expires_at <= ?');
  const turns = objects.prepare('DELETE FROM owner_turn WHERE expires_at <= ?');
  const uses = objects.prepare('DELETE FROM token_use WHERE expires_at <= ?');
  return async (now) => {
    forgetBefore(now - SLOT_RETENTION_MS);
    let count = objects.relaxed(() => samples.run(now) + deadlines.run(now) + turns.run(now) + uses.run(now));
    for (const batch of batches)
      for (let part = ROWS_AT_ONCE; part === ROWS_AT_ONCE; await turn()) {
        part = batch(now);
        count += part;
      }
    return count + (await sweepHeartbeats(heartbeats, now));
  };
};
