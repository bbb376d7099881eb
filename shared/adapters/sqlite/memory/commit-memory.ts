import { getHeapStatistics } from 'node:v8';
import type { FeedPosition } from '../../../ports/store/change-feed.ts';
import type { Database } from '../file/database.ts';
import { createNumbers, type Numbers } from '../file/numbers.ts';
import { createRecentCommits, type RecentCommits } from './recent-commits.ts';
import { createRowCache, type RowCache } from './row-cache.ts';

/** How much of what was written is kept in memory. */
export interface MemoryLimits {
  /** Commits whose changes and slots are kept. */
  readonly commits: number;
  /** Characters of JSON of these commits. Parsed objects take about three times as many bytes, those of very many small values twenty times. */
  readonly characters: number;
  /** Bytes that rows take when they are parsed. */
  readonly rowBytes: number;
}

/** Rows may take one part in so many of the heap that the process may have: 100 MB of 4 GB, which are 12,000 Nodes. */
const HEAP_PARTS = 40;

/** What follows from a commit reads it within a second: so many commits are that on a busy host. */
const defaultLimits = (): MemoryLimits => ({
  commits: 8_192,
  characters: 8_388_608,
  rowBytes: getHeapStatistics().heap_size_limit / HEAP_PARTS,
});

/** What is in memory of `objects.db`: the numbers, the last commits, and the rows that were written or read last. */
export interface CommitMemory {
  readonly numbers: Numbers;
  readonly recent: RecentCommits;
  readonly cache: RowCache;
}

export const createCommitMemory = (
  objects: Database,
  limits: MemoryLimits = defaultLimits(),
): CommitMemory => {
  const last = objects.prepare<{ position: FeedPosition }>(
    "SELECT seq AS position FROM sqlite_sequence WHERE name = 'change'",
  );
  const numbers = createNumbers(objects);
  const position = last.get()?.position ?? 0;
  return {
    numbers,
    recent: createRecentCommits({ position, revisions: numbers.stored() }, limits),
    cache: createRowCache(limits.rowBytes),
  };
};
