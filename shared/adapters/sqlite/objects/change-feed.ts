import { optional } from '../../../kube/values/optional.ts';
import type { ChangeFeed, FeedChange, FeedPosition } from '../../../ports/store/change-feed.ts';
import type { ObjectKey } from '../../../ports/store/rows.ts';
import type { Database } from '../file/database.ts';
import type { Packed } from '../file/packing.ts';
import { keyOf, pathOf, toRow } from '../file/rows.ts';
import { parsePart } from '../file/turns.ts';
import type { RecentChange, RecentCommits } from '../memory/recent-commits.ts';
import type { StoredRow } from '../memory/stored-row.ts';

/** Number of acknowledged changes that are deleted at a time. */
const FORGET_AT_ONCE = 2_000;

interface ChangeColumns {
  readonly position: FeedPosition;
  readonly resource: string;
  readonly path: string;
  readonly before_uid: string | null;
  readonly before_revision: number | null;
  readonly before_body: Packed | null;
  readonly before_facts: string | null;
  readonly after_uid: string;
  readonly after_revision: number;
  readonly after_body: Packed | null;
  readonly after_facts: string | null;
  readonly trace: string | null;
}

/** The writing side of the feed. */
export interface FeedWriter {
  /** Adds a change; call it within the commit's transaction. */
  add(key: ObjectKey, before: StoredRow | undefined, after: StoredRow, trace?: string): RecentChange;
}

const beforeOf = (key: ObjectKey, columns: ChangeColumns): Pick<FeedChange, 'before'> => {
  const { before_uid: uid, before_revision: revision, before_body: body, before_facts: facts } = columns;
  return uid === null || revision === null ? {} : { before: toRow(key, { uid, revision, body, facts }) };
};

const toChange = (columns: ChangeColumns): FeedChange => {
  const key = keyOf(columns.resource, columns.path);
  const {
    position,
    after_uid: uid,
    after_revision: revision,
    after_body: body,
    after_facts: facts,
    trace,
  } = columns;
  const after = toRow(key, { uid, revision, body, facts });
  return { position, ...beforeOf(key, columns), after, ...(trace === null ? {} : { trace }) };
};

const takeChanges = (found: Iterable<ChangeColumns>): readonly FeedChange[] =>
  parsePart(found, ({ before_body: before, after_body: after, ...columns }, text) =>
    toChange({ ...columns, before_body: text(before), after_body: text(after) }),
  ).rows;

const createWriter = (objects: Database): FeedWriter => {
  const insert =
    objects.prepare(`INSERT INTO change (resource, path, before_uid, before_revision, before_body,
    before_facts, after_uid, after_revision, after_body, after_facts, trace)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return {
    add: (key, before, after, trace) => {
      const { uid, revision, body, facts } = after;
      const was = [
        before?.uid ?? null,
        before?.revision ?? null,
        before?.body ?? null,
        before?.facts ?? null,
      ];
      const is = [uid, revision, body, facts];
      const position = insert.insert(key.resource, pathOf(key), ...was, ...is, trace ?? null);
      return {
        position,
        characters: (before?.characters ?? 0) + after.characters,
        change: () => ({
          position,
          ...optional('before', before?.row()),
          after: after.row(),
          ...optional('trace', trace),
        }),
      };
    },
  };
};

/** The change feed as rows of `objects.db`. */
export interface SqliteFeed {
  readonly feed: ChangeFeed;
  readonly writer: FeedWriter;
  /**
   * Stores the acknowledged position, deletes acknowledged changes, and does `also` in the same transaction. Call it after the beats were made
   * durable: if a power failure loses a change's effect on a heartbeat item, the change is then processed again.
   */
  readonly settle: (also?: () => void) => void;
  /** Acknowledges every change. */
  readonly discard: () => void;
  /** Whether changes that were in the file when it was opened are not acknowledged yet. */
  readonly isBehindStart: () => boolean;
}

/** `recent` has the newest changes. */
export const createSqliteFeed = (objects: Database, recent: RecentCommits): SqliteFeed => {
  const read = objects.prepare<ChangeColumns>(
    'SELECT * FROM change WHERE position > ? ORDER BY position LIMIT ?',
  );
  const stored = objects.prepare<{ position: FeedPosition }>('SELECT position FROM acknowledged');
  const newest = objects.prepare<{ position: FeedPosition | null }>(
    'SELECT max(position) AS position FROM change',
  );
  const store = objects.prepare('INSERT OR REPLACE INTO acknowledged VALUES (1, ?)');
  const forget = objects.prepare(
    'DELETE FROM change WHERE position IN (SELECT position FROM change WHERE position <= ? ORDER BY position LIMIT ?)',
  );
  let settled = stored.get()?.position ?? 0;
  let acknowledged = settled;
  let isTrimmed = false;
  const atStart = newest.get()?.position ?? 0;
  /** Whether all acknowledged changes are deleted. */
  const trim = (): boolean => {
    store.run(acknowledged);
    return forget.run(acknowledged, FORGET_AT_ONCE) < FORGET_AT_ONCE;
  };
  return {
    writer: createWriter(objects),
    feed: {
      read: async (after, limit) =>
        recent.changes(Math.max(after, settled), limit) ?? takeChanges(read.iterate(after, limit)),
      position: async () => acknowledged,
      acknowledge: async (position) => {
        acknowledged = Math.max(acknowledged, position);
      },
    },
    discard: () => {
      acknowledged = Math.max(acknowledged, newest.get()?.position ?? 0);
    },
    settle: (also) => {
      if (!also && acknowledged === settled && isTrimmed) return;
      isTrimmed = objects.relaxed(() =>
        objects.inTransaction(() => {
          also?.();
          return trim();
        }),
      );
      settled = acknowledged;
    },
    isBehindStart: () => acknowledged < atStart,
  };
};
