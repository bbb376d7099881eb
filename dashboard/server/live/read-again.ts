/** Reads one collection again, on new connections: its watch may hang on one that is dead. */
import { type BackOffDelays, backOff } from '../../../shared/kube/values/back-off.ts';
import type { FollowDeps, Follower } from './follow.ts';
import type { Source } from './source.ts';

type FollowedSource = FollowDeps['source'];

/** From a reading to the next one while nothing else comes: a fleet that is silent indeed is not read all the time. */
const AGAIN: BackOffDelays = { firstMs: 5_000, mostMs: 60_000 };

/** A collection that can be read again. */
export interface ReadAgain {
  /** The source, for the follower of the collection. */
  readonly source: FollowedSource;
  /** The follower, from which is heard what comes. */
  told(follower: Follower): Follower;
  /** Asks for it. Nothing happens if it is being read already, or was just now. */
  ask(): void;
}

/** Creates it. `elapsed`: a clock that does not jump, ms. */
export const createReadAgain = (
  { heard, round, reconnect }: FollowedSource & Pick<Source, 'reconnect'>,
  elapsed: () => number = () => performance.now(),
): ReadAgain => {
  let again = new AbortController();
  let isWhole = false;
  let [asked, nextAt] = [0, 0];
  return {
    source: { heard, round: () => AbortSignal.any([round(), again.signal]) },
    told: (follower) => ({
      ...follower,
      onReset: () => {
        isWhole = false;
        follower.onReset();
      },
      onObject: (object) => {
        // By the watch, which does not hang.
        if (isWhole) [asked, nextAt] = [0, 0];
        follower.onObject(object);
      },
      onWhole: () => {
        isWhole = true;
        follower.onWhole();
      },
    }),
    ask: () => {
      if (!isWhole || elapsed() < nextAt) return;
      isWhole = false;
      nextAt = elapsed() + backOff(AGAIN, asked);
      asked += 1;
      reconnect();
      again.abort();
      again = new AbortController();
    },
  };
};
