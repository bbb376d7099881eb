import type { Commit } from '../../shared/ports/commit.ts';
import type { ObjectLog } from '../../shared/ports/object-log.ts';

/**
 * The same log, but a commit that rests is refused as one whose condition does not hold. It is asked in the very turn of the
 * commit: a process that was suspended since the decision notices it here.
 */
export const restingLog = <T extends Pick<ObjectLog, 'commit'>>(
  log: T,
  rests: (commit: Commit) => boolean,
): T => ({
  ...log,
  commit: async (commit) => (rests(commit) ? { outcome: 'checkFailed' } : log.commit(commit)),
});
