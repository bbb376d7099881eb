/** Events that wait for their sinks, in `objects.db`. */
import type { EpochMs } from '../../../kube/values/time.ts';
import type { WaitingEvent } from '../../../rules/notifications/bundle.ts';
import type { LifecycleEvent } from '../../../rules/notifications/lifecycle-event.ts';
import type { NewNotice } from '../../../rules/notifications/notice.ts';
import type { Dropped } from '../../../rules/notifications/overflow.ts';
import type { EventType, Severity } from '../../../settings/events/event-types.ts';
import type { Database } from '../file/database.ts';

/** A notice of a sink. Of two with the same `id` for a sink the first one counts while it waits. */
export interface SinkNotice extends NewNotice {
  readonly sink: string;
}

/** The events that wait, for one process. All methods are synchronous. */
export interface NoticeStore {
  add(notices: readonly SinkNotice[]): void;
  /** The first ones of a sink, in the order of their positions. */
  waiting(sink: string, most: number): readonly WaitingEvent[];
  /** How many wait, and since when (ms) the first one does; `undefined`: none. */
  length(sink: string): { readonly count: number; readonly oldestAt: EpochMs | undefined };
  /** What an event says; `undefined`: it does not wait any more. */
  event(position: number): LifecycleEvent | undefined;
  /** Removes events, and replaces what was dropped of the sink if it is given (`null`: nothing). */
  remove(sink: string, positions: readonly number[], dropped?: Dropped | null): void;
  dropped(sink: string): Dropped | undefined;
  /** Removes what waits for other sinks than these, and returns how much. */
  keepOnly(sinks: readonly string[]): number;
}

interface Columns {
  readonly position: number;
  readonly subject: string;
  readonly bundle: string;
  readonly severity: Severity;
  readonly type: EventType;
  readonly stored_at: EpochMs;
}

const statements = (objects: Database) => ({
  add: objects.prepare(
    'INSERT OR IGNORE INTO notice (sink, id, subject, bundle, severity, type, stored_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  ),
  waiting: objects.prepare<Columns>(
    'SELECT position, subject, bundle, severity, type, stored_at FROM notice WHERE sink = ? ORDER BY position LIMIT ?',
  ),
  count: objects.prepare<{ count: number }>('SELECT count(*) AS count FROM notice WHERE sink = ?'),
  first: objects.prepare<{ at: EpochMs }>(
    'SELECT stored_at AS at FROM notice WHERE sink = ? ORDER BY position LIMIT 1',
  ),
  body: objects.prepare<{ body: string }>('SELECT body FROM notice WHERE position = ?'),
  remove: objects.prepare('DELETE FROM notice WHERE position = ?'),
  sinks: objects.prepare<{ sink: string }>('SELECT DISTINCT sink FROM notice'),
  removeSink: objects.prepare('DELETE FROM notice WHERE sink = ?'),
  dropped: objects.prepare<{ dropped: string }>('SELECT dropped FROM notice_sink WHERE sink = ?'),
  putDropped: objects.prepare('INSERT OR REPLACE INTO notice_sink (sink, dropped) VALUES (?, ?)'),
  noneDropped: objects.prepare('DELETE FROM notice_sink WHERE sink = ?'),
});

/**
 * The store over `objects.db`. No write is synced by itself: the feed of changes, from which events come, is acknowledged later in the same file. So a power
 * failure that undoes the storing of an event has its change routed again, and one that undoes a removal has the event sent again.
 */
export const createNoticeStore = (objects: Database): NoticeStore => {
  const sql = statements(objects);
  const together = <T>(work: () => T): T => objects.relaxed(() => objects.inTransaction(work));
  const putDropped = (sink: string, dropped: Dropped | null | undefined): void => {
    if (dropped === null) sql.noneDropped.run(sink);
    else if (dropped) sql.putDropped.run(sink, JSON.stringify(dropped));
  };
  return {
    add: (notices) =>
      together(() => {
        for (const { sink, id, subject, bundle, severity, type, storedAt, event } of notices)
          sql.add.run(sink, id, subject, bundle, severity, type, storedAt, JSON.stringify(event));
      }),
    waiting: (sink, most) =>
      sql.waiting.all(sink, most).map(({ stored_at: storedAt, ...rest }) => ({ ...rest, storedAt })),
    length: (sink) => ({ count: sql.count.get(sink)?.count ?? 0, oldestAt: sql.first.get(sink)?.at }),
    event: (position) => {
      const body = sql.body.get(position)?.body;
      return body === undefined ? undefined : (JSON.parse(body) as LifecycleEvent);
    },
    remove: (sink, positions, dropped) =>
      together(() => {
        for (const position of positions) sql.remove.run(position);
        putDropped(sink, dropped);
      }),
    dropped: (sink) => {
      const text = sql.dropped.get(sink)?.dropped;
      return text === undefined ? undefined : (JSON.parse(text) as Dropped);
    },
    keepOnly: (sinks) => {
      const others = sql.sinks.all().filter(({ sink }) => !sinks.includes(sink));
      return together(() => others.reduce((sum, { sink }) => sum + sql.removeSink.run(sink), 0));
    },
  };
};
