import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import { type ReleaseDeps, releaseClaims } from '../../shared/store/claims/release-claims.ts';
import type { CapacityReleaseMessage } from './message.ts';
import { wakeScheduler } from './wake-scheduler.ts';

export interface CapacityReleaseDeps extends ReleaseDeps {
  readonly queues: WorkQueues;
}

export interface ReleaseReport {
  /** Claims that were ended or deleted. */
  readonly released: number;
}

/**
 * Gives back the room of pods that have ended or are gone, then wakes the scheduler, also if there was nothing left to give back: an
 * earlier delivery of the message may have died in between. Throws 429 if the node is too busy; repeating it does no harm.
 */
export const reconcile = async (
  deps: CapacityReleaseDeps,
  { node, uids }: CapacityReleaseMessage,
): Promise<ReleaseReport> => {
  const released = await releaseClaims(deps, node, uids);
  await wakeScheduler(deps);
  return { released };
};
