/** The place of a node among those of its zone that wait for a NoExecute taint, as the next pass will find it. */
import type { EpochMs } from '../../../kube/values/time.ts';
import { isBefore, type WaitingNode } from '../../zones/zone-lists.ts';

/** `ahead`: who gets the taint first in any case. `isKept`: the next pass finds the node where the last one has listed it. */
interface Place {
  readonly ahead: number;
  readonly isKept: boolean;
}

/** A node that waits since its Ready became another one (ms); a pass puts one of which that is not known last. */
export const waitingNode = (name: string, since: EpochMs | undefined): WaitingNode => ({
  name,
  since: since ?? Number.POSITIVE_INFINITY,
});

/**
 * The place of `own`. `listed`: those that are listed before it and still wait; `listedAt` (ms): when they were listed. Readiness that changes
 * once more, from Unknown to False, makes a node wait anew: until the next pass has put it behind the others, it may come first or not.
 */
export const placeBehind = (listed: readonly WaitingNode[], own: WaitingNode, listedAt: EpochMs): Place => {
  const ahead = listed.filter((other) => isBefore(other, own)).length;
  return { ahead, isKept: ahead === listed.length && own.since <= listedAt };
};
