import type { FeedPosition } from '../../../ports/store/change-feed.ts';
import type { Database } from '../file/database.ts';
import { createNumbers, type Numbers } from '../file/numbers.ts';
import { createRecentCommits, type RecentCommits } from './recent-commits.ts';
import { createRowCache, type RowCache } from './row-cache.ts';

/** How much of what was written is kept in memory. */
export interface MemoryLimits {
  /** Commits whose changes and slots are kept. */
  readonly commits: number;
  /** Characters of JSON of these commits, and as many of rows. Parsed objects take about three times as many bytes. */
  readonly characters: number;
}

/** What follows from a commit reads it within a second: that is so much on a busy host. Objects of very many small values take twenty times their text. */
const DEFAULT_LIMITS: MemoryLimits = { commits: 8_192, characters: 8_388_608 };

/** What is in memory of `objects.db`: the numbers, the last commits, and the rows that were written or read last. */
export interface CommitMemory {
  readonly numbers: Numbers;
  readonly recent: RecentCommits;
  readonly cache: RowCache;
}

export const createCommitMemory = (
  objects: Database,
  limits: MemoryLimits = DEFAULT_LIMITS,
): CommitMemory => {
  const last = objects.prepare<{ position: FeedPosition }>(
    "SELECT seq AS position FROM sqlite_sequence WHERE name = 'change'",
  );
  const numbers = createNumbers(objects);
  const position = last.get()?.position ?? 0;
  return {
    numbers,
    recent: createRecentCommits({ position, revisions: numbers.stored() }, limits),
    cache: createRowCache(limits.characters),
  };
};
