import type { ChangeFeed, FeedChange, FeedPosition } from '../../ports/store/change-feed.ts';
import type { Row } from '../../ports/store/rows.ts';

/** A change feed in memory. Commits put their changes into it with `add`. */
export const createMemoryFeed = (): {
  readonly feed: ChangeFeed;
  readonly add: (before: Row | undefined, after: Row) => void;
} => {
  const changes: FeedChange[] = [];
  let last: FeedPosition = 0;
  let acknowledged: FeedPosition = 0;
  /** Positions increase by one, so the index of a change follows from the position of the first one. */
  const placeBehind = (after: FeedPosition): number =>
    Math.max(0, after + 1 - (changes[0]?.position ?? last + 1));
  return {
    add: (before, after) => {
      last += 1;
      changes.push({ position: last, ...(before ? { before } : {}), after });
    },
    feed: {
      read: async (after, limit) => changes.slice(placeBehind(after), placeBehind(after) + limit),
      position: async () => acknowledged,
      acknowledge: async (position) => {
        acknowledged = Math.max(acknowledged, position);
        // This moves what is left, once for a batch. Only tests have a backlog here: simulations listen instead of reading.
        changes.splice(0, placeBehind(acknowledged));
      },
    },
  };
};
