import { resourceExpired } from '../api/status-error.ts';
import type { LogEntry, Revision } from '../ports/object-log.ts';
import type { CommitDeps } from './commit-protocol.ts';
import { createRevisions } from './revisions.ts';
import { SLOTS_AT_ONCE } from './settled-slots.ts';
import { createSlotResolver } from './slot-resolver.ts';

export interface LogReader {
  /**
   * Changes after the position, in order, each once; the position moves past them. Stops before a young hole.
   * Throws 410 `Expired` when the position is below the floor or above the counter: list again.
   */
  poll(): Promise<readonly LogEntry[]>;
  /** Everything up to this revision was returned. */
  position(): Revision;
  /** The last poll stopped before a hole: whether it is a change or nothing is settled within about a second. */
  isWaiting(): boolean;
}

/** Kubernetes' words; the number in brackets is the oldest that can still be followed. */
const tooOld = (at: Revision, floor: Revision): Error =>
  resourceExpired(`too old resource version: ${at} (${floor})`);

/** A client that has seen what this server has not: the state was set back. Kubernetes waits in silence. */
export const fromTheFuture = (at: Revision, newest: Revision): Error =>
  resourceExpired(`resource version ${at} is newer than the newest, ${newest}: list again`);

/** Reads the change log of a resource from a revision on, exclusive: what a watch that starts at `from` must see. */
export const createLogReader = (deps: CommitDeps, resource: string, from: Revision): LogReader => {
  const revisions = createRevisions(deps);
  const resolver = createSlotResolver(deps, resource);
  let at = from;
  let isWaiting = false;
  return {
    position: () => at,
    isWaiting: () => isWaiting,
    poll: async () => {
      isWaiting = false;
      const { counter } = await revisions.current(resource);
      if (at > counter) throw fromTheFuture(at, counter);
      if (at === counter) return [];
      // The floor is read before any hole is filled: a hole at or below it may be a change that has expired.
      const floor = await revisions.floor(resource);
      if (at < floor) throw tooOld(at, floor);
      const { slots, waitingFor } = await resolver.resolve(at + 1, Math.min(counter, at + SLOTS_AT_ONCE));
      isWaiting = waitingFor !== undefined;
      at = slots.at(-1)?.revision ?? at;
      return slots.filter((slot) => slot.slot === 'entry');
    },
  };
};
