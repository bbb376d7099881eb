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

/** Messages that are in no file yet. */
interface InMemory {
  due(now: EpochMs): ReadonlyMap<string, Omit<QueueFigure, 'queue'>>;
}

const joined = (
  stored: readonly QueueFigure[],
  routed: ReturnType<InMemory['due']>,
): readonly QueueFigure[] => {
  const figures = new Map(stored.map((figure) => [figure.queue, figure]));
  for (const [queue, { due, oldestMs }] of routed) {
    const known = figures.get(queue) ?? { queue, due: 0, oldestMs: 0 };
    figures.set(queue, { queue, due: known.due + due, oldestMs: Math.max(known.oldestMs, oldestMs) });
  }
  return [...figures.values()];
};

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const bytesOf = (folder: string, database: string): number =>
  sizeOf(join(folder, `${database}.db`)) + sizeOf(join(folder, `${database}.db-wal`));

/** Reads the figures as of `now`. Each call reads what is due of the queues, so it is for a page that is asked for a few times a minute. */
export const createStateFigures = (objects: Database, feed: ChangeFeed, routed: InMemory, folder: string) => {
  const due = objects.prepare<DueColumns>(
    'SELECT queue, count(*) AS due, min(visible_at) AS since FROM message WHERE visible_at <= ? GROUP BY queue',
  );
  const unrouted = objects.prepare<{ count: number }>(
    'SELECT count(*) AS count FROM change WHERE position > ?',
  );
  return async (now: EpochMs): Promise<StateFigures> => ({
    queues: joined(
      due.all(now).map(({ since, ...queue }) => ({ ...queue, oldestMs: now - since })),
      routed.due(now),
    ),
    unroutedChanges: unrouted.get(await feed.position())?.count ?? 0,
    bytes: { objects: bytesOf(folder, 'objects'), heartbeats: bytesOf(folder, 'heartbeats') },
  });
};
