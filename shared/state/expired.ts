import type { EpochMs } from '../api/time.ts';
import type { LogEntry } from '../ports/change-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { ObjectLog } from '../ports/object-log.ts';
import type { LiveRow, Row } from '../ports/rows.ts';

/** Whether the object is over. Stores remove such rows late: DynamoDB within days, SQLite within a minute. */
export const isExpired = ({ expiresAt }: Pick<LiveRow | LogEntry, 'expiresAt'>, now: EpochMs): boolean =>
  expiresAt !== undefined && expiresAt <= now;

/** The row as readers see it: one that has expired is not there. */
export const unexpired = (row: Row | undefined, now: EpochMs): Row | undefined =>
  row?.state === 'live' && isExpired(row, now) ? undefined : row;

/** The same log, for readers. Whoever writes has to know the stored row, and asks the log itself. */
export const withoutExpired = (log: ObjectLog, clock: Pick<Clock, 'now'>): ObjectLog => ({
  ...log,
  read: async (key) => unexpired(await log.read(key), clock.now()),
  page: async (query) => {
    const page = await log.page(query);
    const now = clock.now();
    return { ...page, rows: page.rows.filter((row) => !isExpired(row, now)) };
  },
});
