import type { Commit } from '../../shared/ports/commit.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';

/**
 * The same store, but it refuses a commit for which `rests` is true, as one whose condition does not hold. It asks in the very
 * turn of the commit, so that a process that was suspended since its decision notices it here.
 */
export const restingStore = <T extends Pick<ObjectStore, 'commit'>>(
  objects: T,
  rests: (commit: Commit) => boolean,
): T => ({
  ...objects,
  commit: async (commit) => (rests(commit) ? { outcome: 'checkFailed' } : objects.commit(commit)),
});
