import { resourceExpired } from '../api/status-error.ts';
import type { LogEntry, Revision } from '../ports/object-log.ts';
import type { CommitDeps } from './commit-protocol.ts';
import { createRevisions } from './revisions.ts';
import { createSlotResolver } from './slot-resolver.ts';

/** Slots read at a time, so that a reader far behind does not load an hour of history at once. */
const BATCH = 256;

export interface LogReader {
  /**
   * Changes after the position, in order, each once; the position moves past them. Stops before a young hole.
   * Throws 410 `Expired` when the position is below the floor or above the counter: list again.
   */
  poll(): Promise<readonly LogEntry[]>;
  /** Everything up to this revision was returned. */
  position(): Revision;
}

/** Reads the change log of a resource from a revision on, exclusive: what a watch that starts at `from` must see. */
export const createLogReader = (deps: CommitDeps, resource: string, from: Revision): LogReader => {
  const revisions = createRevisions(deps);
  const resolver = createSlotResolver(deps, resource);
  let at = from;
  return {
    position: () => at,
    poll: async () => {
      const { counter } = await revisions.current(resource);
      if (at > counter) throw resourceExpired();
      if (at === counter) return [];
      // The floor is read before any hole is filled: a hole at or below it may be a change that has expired.
      if (at < (await revisions.floor(resource))) throw resourceExpired();
      const { slots } = await resolver.resolve(at + 1, Math.min(counter, at + BATCH));
      at = slots.at(-1)?.revision ?? at;
      return slots.filter((slot) => slot.slot === 'entry');
    },
  };
};
