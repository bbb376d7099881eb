import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { LogEntry } from '../../ports/store/change-log.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { LiveRow, Row } from '../../ports/store/rows.ts';

/** Whether the object has expired at `now`. Stores remove expired rows late: DynamoDB within days, SQLite within a minute. */
export const isExpired = ({ expiresAt }: Pick<LiveRow | LogEntry, 'expiresAt'>, now: EpochMs): boolean =>
  expiresAt !== undefined && expiresAt <= now;

/** The row as readers see it: `undefined` if it has expired. */
export const unexpired = (row: Row | undefined, now: EpochMs): Row | undefined =>
  row?.state === 'live' && isExpired(row, now) ? undefined : row;

/** The store without expired objects, for readers. Writers must see the stored row, so they read the store itself. */
export const withoutExpired = (objects: ObjectStore, clock: Pick<Clock, 'now'>): ObjectStore => ({
  ...objects,
  read: async (key) => unexpired(await objects.read(key), clock.now()),
  page: async (query) => {
    const page = await objects.page(query);
    const now = clock.now();
    return { ...page, rows: page.rows.filter((row) => !isExpired(row, now)) };
  },
});
