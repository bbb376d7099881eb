import type { Commit } from '../../shared/ports/store/commit.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';

/**
 * The same store, but a commit for which `rests` is true gets the outcome `checkFailed`. `rests` is called immediately before the
 * commit, in the same turn of the event loop: a process that was suspended after its decision notices that here.
 */
export const restingStore = <T extends Pick<ObjectStore, 'commit'>>(
  objects: T,
  rests: (commit: Commit) => boolean,
): T => ({
  ...objects,
  commit: async (commit) => (rests(commit) ? { outcome: 'checkFailed' } : objects.commit(commit)),
});
