import { resourceExpired } from '../api/status-error.ts';
import type { Counter, LogEntry } from '../ports/change-log.ts';
import type { Revision } from '../ports/rows.ts';
import type { CommitDeps } from './commit-protocol.ts';
import { createRevisions } from './revisions.ts';
import { SLOTS_AT_ONCE } from './settled-slots.ts';
import { createSlotResolver } from './slot-resolver.ts';
import { createWatermarkRaiser } from './watermark-raiser.ts';

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

/**
 * Reads the change log of a resource from a revision on, exclusive: what a watch that starts at `from` must see. A batch of changes
 * above the watermark raises it, so that an hour of watches without lists leaves nothing for the list that comes then.
 */
export const createLogReader = (
  deps: CommitDeps,
  resource: string,
  from: Revision,
  slotsAtOnce: number = SLOTS_AT_ONCE,
): LogReader => {
  const revisions = createRevisions(deps);
  const resolver = createSlotResolver(deps, resource);
  let at = from;
  let isWaiting = false;
  /** This reader has seen every slot behind it, up to its position, filled. */
  let seenFrom = from;

  /** Looks at the slots between the watermark and this reader's start, if they are few. */
  const closeGap = async (newest: Revision): Promise<boolean> => {
    if (newest >= seenFrom) return true;
    if (seenFrom - newest > slotsAtOnce) return false;
    const { waitingFor } = await resolver.resolve(newest + 1, seenFrom);
    if (waitingFor === undefined) seenFrom = newest;
    return waitingFor === undefined;
  };

  const raiseWatermark = async (counter: Counter, floor: Revision, upTo: Revision): Promise<void> => {
    const newest = Math.max(counter.watermarks.at(-1)?.revision ?? counter.seed, floor);
    if (upTo - newest < slotsAtOnce || !(await closeGap(newest))) return;
    await createWatermarkRaiser(deps, revisions, resource, counter).raise(upTo);
  };

  return {
    position: () => at,
    isWaiting: () => isWaiting,
    poll: async () => {
      isWaiting = false;
      const known = await revisions.current(resource);
      const { counter } = known;
      if (at > counter) throw fromTheFuture(at, counter);
      if (at === counter) return [];
      // The floor is read before any hole is filled: a hole at or below it may be a change that has expired.
      const floor = await revisions.floor(resource);
      if (at < floor) throw tooOld(at, floor);
      const { slots, waitingFor } = await resolver.resolve(at + 1, Math.min(counter, at + slotsAtOnce));
      isWaiting = waitingFor !== undefined;
      const next = slots.at(-1)?.revision ?? at;
      // Before the position moves: a failure here must not swallow the changes.
      await raiseWatermark(known, floor, next);
      at = next;
      return slots.filter((slot) => slot.slot === 'entry');
    },
  };
};
