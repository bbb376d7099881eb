import { resourceExpired } from '../../kube/errors/status-error.ts';
import type { Counter, LogEntry } from '../../ports/store/change-log.ts';
import type { Revision } from '../../ports/store/rows.ts';
import type { CommitDeps } from '../commit/commit-protocol.ts';
import { createRevisions } from '../commit/revisions.ts';
import { SLOTS_AT_ONCE } from './settled-slots.ts';
import { createSlotResolver } from './slot-resolver.ts';
import { createWatermarkRaiser } from './watermark-raiser.ts';

/** Reads the changes of one resource from a position that only moves forward. */
export interface LogReader {
  /**
   * Returns the changes after the position, in order, each once, and moves the position past them. Stops before a young hole.
   * Throws 410 `Expired` when the position is below the floor or above the counter: list again.
   */
  poll(): Promise<readonly LogEntry[]>;
  /** The revision up to which all changes were returned. */
  position(): Revision;
  /** Whether the last poll stopped before a hole, which is filled within about a second. */
  isWaiting(): boolean;
}

/** Kubernetes' message; the number in brackets is the oldest revision from which a watch can still start. */
const tooOld = (at: Revision, floor: Revision): Error =>
  resourceExpired(`too old resource version: ${at} (${floor})`);

/** The error for a revision that this server has not reached, because its state was restored. Kubernetes waits without an error. */
export const fromTheFuture = (at: Revision, newest: Revision): Error =>
  resourceExpired(`resource version ${at} is newer than the newest, ${newest}: list again`);

/**
 * Reads the change log of a resource after the revision `from`, as a watch does. Each batch of changes raises the watermark, so
 * that the first list after an hour of watches has few slots to resolve.
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
  /** This reader has seen every slot between `seenFrom` and its position filled. */
  let seenFrom = from;

  /** Reads the slots between the watermark and this reader's start, if they are few. */
  const closeGap = async (newest: Revision): Promise<boolean> => {
    if (newest >= seenFrom) return true;
    if (seenFrom - newest > slotsAtOnce) return false;
    for (let next = newest + 1; next <= seenFrom; ) {
      const { slots, waitingFor } = await resolver.resolve(next, seenFrom);
      if (waitingFor !== undefined) return false;
      next += slots.length;
    }
    seenFrom = newest;
    return true;
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
      // Read the floor before filling a hole: a hole at or below the floor may be a change that has expired.
      const floor = await revisions.floor(resource);
      if (at < floor) throw tooOld(at, floor);
      const { slots, waitingFor } = await resolver.resolve(at + 1, Math.min(counter, at + slotsAtOnce));
      isWaiting = waitingFor !== undefined;
      const next = slots.at(-1)?.revision ?? at;
      // This comes before the position moves, so that a failure here does not lose changes.
      await raiseWatermark(known, floor, next);
      at = next;
      return slots.filter((slot) => slot.slot === 'entry');
    },
  };
};
