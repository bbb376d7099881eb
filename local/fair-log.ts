import { setImmediate as turn } from 'node:timers/promises';
import type { ObjectLog } from '../shared/ports/object-log.ts';

/**
 * The same log; `onCommit` is told the resource after each commit, and whoever committed lets others have a turn. SQLite answers at
 * once: controllers with thousands of writes would go from one to the next, and no request would be heard meanwhile.
 */
export const takingTurns = <T extends Pick<ObjectLog, 'commit'>>(
  log: T,
  onCommit: (resource: string) => void,
): T => ({
  ...log,
  commit: async (commit) => {
    const outcome = await log.commit(commit);
    onCommit(commit.key.resource);
    await turn();
    return outcome;
  },
});
