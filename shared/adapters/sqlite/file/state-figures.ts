/** What somebody who watches a host asks about its files: what waits in them, and how large they are. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { ChangeFeed } from '../../../ports/store/change-feed.ts';
import type { Database } from './database.ts';

/** Messages of a queue that could be taken. */
export interface QueueFigure {
  readonly queue: string;
  readonly due: number;
  /** For how long (ms) the oldest of them could have been taken. */
  readonly oldestMs: number;
}

export interface StateFigures {
  /** Queues with messages that are due; the others are empty, or wait. */
  readonly queues: readonly QueueFigure[];
  /** Committed changes that nobody has acknowledged. */
  readonly unroutedChanges: number;
  /** Bytes of each database with its write-ahead log. */
  readonly bytes: Readonly<Record<'objects' | 'heartbeats', number>>;
}

interface DueColumns {
  readonly queue: string;
  readonly due: number;
  readonly since: EpochMs;
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const bytesOf = (folder: string, database: string): number =>
  sizeOf(join(folder, `${database}.db`)) + sizeOf(join(folder, `${database}.db-wal`));

/** Reads the figures as of `now`. Each call reads what is due of the queues, so it is for a page that is asked for a few times a minute. */
export const createStateFigures = (objects: Database, feed: ChangeFeed, folder: string) => {
  const due = objects.prepare<DueColumns>(
    'SELECT queue, count(*) AS due, min(visible_at) AS since FROM message WHERE visible_at <= ? GROUP BY queue',
  );
  const unrouted = objects.prepare<{ count: number }>(
    'SELECT count(*) AS count FROM change WHERE position > ?',
  );
  return async (now: EpochMs): Promise<StateFigures> => ({
    queues: due.all(now).map(({ since, ...queue }) => ({ ...queue, oldestMs: now - since })),
    unroutedChanges: unrouted.get(await feed.position())?.count ?? 0,
    bytes: { objects: bytesOf(folder, 'objects'), heartbeats: bytesOf(folder, 'heartbeats') },
  });
};
