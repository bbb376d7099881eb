/** Shifts stored instants when the machine's clock is set, so that no timer becomes longer or shorter. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { Database } from './file/database.ts';
import type { Files } from './files.ts';

const MINUTE_MS = 60_000;
/** The last instant that a date can express. */
const END_OF_TIME: EpochMs = 8_640_000_000_000_000;
/** Names of members of JSON in `objects.db` that are instants, besides the names that end in `At`. */
const INSTANTS: ReadonlySet<string> = new Set([
  'since',
  'start',
  'lastTick',
  'leaseUntil',
  'clockFloor',
  'aheadFloor',
]);
/** In `heartbeats.db` there are none: `since` of a roster is a revision. */
const NO_OTHERS: ReadonlySet<string> = new Set();

/** Whether a member is an instant to shift. 0 means "none" and is kept. */
const isInstant = (name: string, value: unknown, others: ReadonlySet<string>): value is EpochMs =>
  typeof value === 'number' && value > 0 && (name.endsWith('At') || others.has(name));

/** Instants in a book of holds. Its `until` is what a person has written, and stays. */
const OF_HOLDS: ReadonlySet<string> = new Set(['from', 'to']);

const movedJson = (text: string, byMs: number, others: ReadonlySet<string>): string =>
  JSON.stringify(
    JSON.parse(text, (name, value: unknown) =>
      isInstant(name, value, others) ? Math.min(value + byMs, END_OF_TIME) : value,
    ),
  );

interface Text {
  readonly key: string | number;
  readonly text: string;
}

/** Shifts the instants in a JSON column. `key` is a column that identifies a row. */
const moveJson = (
  database: Database,
  table: string,
  key: string,
  column: string,
  byMs: number,
  others = INSTANTS,
): void => {
  const rows = database.prepare<Text>(
    `SELECT ${key} AS key, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL`,
  );
  const put = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`);
  for (const { key: row, text } of rows.all()) {
    const moved = movedJson(text, byMs, others);
    if (moved !== text) put.run(moved, row);
  }
};

const moveColumns = (database: Database, table: string, columns: readonly string[], byMs: number): void => {
  const moved = columns.map((column) => `${column} = min(${column} + ${byMs}, ${END_OF_TIME})`);
  database.exec(`UPDATE ${table} SET ${moved.join(', ')}`);
};

const moveObjects = (objects: Database, byMs: number): void => {
  moveColumns(objects, 'object', ['expires_at'], byMs);
  moveColumns(objects, 'slot', ['at', 'object_expires_at'], byMs);
  moveColumns(objects, 'message', ['sent_at', 'visible_at'], byMs);
  moveColumns(objects, 'notice', ['stored_at'], byMs);
  moveJson(objects, 'notice_sink', 'sink', 'dropped', byMs);
  moveColumns(objects, 'deadline', ['fire_at', 'expires_at'], byMs);
  moveJson(objects, 'object', 'id', 'facts', byMs);
  moveJson(objects, 'pass', 'id', 'body', byMs);
  moveJson(objects, 'zone', 'id', 'body', byMs);
  moveJson(objects, 'deadline', 'path', 'body', byMs);
  moveJson(objects, 'hold_book', 'id', 'body', byMs, OF_HOLDS);
  moveJson(objects, 'claim', 'id', 'body', byMs);
  moveJson(objects, 'sighting', 'id', 'body', byMs);
  moveJson(objects, 'capacity_sweep', 'id', 'body', byMs);
  moveColumns(objects, 'owner_turn', ['expires_at'], byMs);
  moveJson(objects, 'owner_turn', 'owner', 'body', byMs);
  moveColumns(objects, 'token_use', ['expires_at'], byMs);
  // In two steps, by negative minutes, so that two samples never have the same key.
  const minutes = Math.round(byMs / MINUTE_MS);
  objects.exec(`UPDATE sample SET minute = -(minute + ${minutes}), expires_at = expires_at + ${byMs}`);
  objects.exec('UPDATE sample SET minute = -minute');
};

/** The columns with instants. `version` is not shifted: it is a revision, which must never decrease. */
const BEAT_COLUMNS = [
  'observed_at',
  'lease_at',
  'status_at',
  'plain_at',
  'relay_at',
  'ahead_at',
  'expires_at',
];

/**
 * Returns a function that shifts the instants of both files by `byMs` milliseconds, each file in one transaction. `objects.db`
 * comes first and stores the sign of life from which the step was measured: after a crash between the two, the next start measures
 * the same step again and does not shift the objects twice.
 */
export const createMove = ({ objects, heartbeats }: Files): ((byMs: number) => void) => {
  const alive = heartbeats.prepare<{ at: EpochMs }>('SELECT at FROM alive');
  const done = objects.prepare<{ byMs: number }>('SELECT by_ms AS byMs FROM clock_step WHERE alive_at = ?');
  const remember = objects.prepare(
    'INSERT OR REPLACE INTO clock_step (id, alive_at, by_ms) VALUES (1, ?, ?)',
  );
  return (byMs) => {
    const aliveAt = alive.get()?.at;
    objects.inTransaction(() => {
      const movedMs = aliveAt === undefined ? 0 : (done.get(aliveAt)?.byMs ?? 0);
      if (byMs !== movedMs) moveObjects(objects, byMs - movedMs);
      if (aliveAt !== undefined) remember.run(aliveAt, byMs);
    });
    heartbeats.inTransaction(() => {
      moveColumns(heartbeats, 'item', BEAT_COLUMNS, byMs);
      moveJson(heartbeats, 'item', 'path', 'rare', byMs, NO_OTHERS);
      moveColumns(heartbeats, 'alive', ['at'], byMs);
      moveColumns(heartbeats, 'unsaved', ['before'], byMs);
    });
  };
};
