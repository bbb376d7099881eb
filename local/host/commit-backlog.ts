import type { ObjectStore } from '../../shared/ports/object-store.ts';

/** Commits of the node monitor that wait at the same time while it marks the nodes of an outage. */
const MANY = 32;

/** Commits of the node monitor that are under way. */
export interface CommitBacklog {
  /** Whether they are so many that other controllers should wait for them. */
  isLarge(): boolean;
  /** The same commit, counted. */
  counting(commit: ObjectStore['commit']): ObjectStore['commit'];
}

export const createCommitBacklog = (): CommitBacklog => {
  let waiting = 0;
  return {
    isLarge: () => waiting >= MANY,
    counting: (commit) => async (given) => {
      waiting += 1;
      try {
        return await commit(given);
      } finally {
        waiting -= 1;
      }
    },
  };
};
