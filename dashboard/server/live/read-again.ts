/** Reads one collection again, alone: its watch may hang on a connection that is dead, while others work. */
import type { FollowDeps, Follower } from './follow.ts';

type FollowedSource = FollowDeps['source'];

/** A collection that can be read again. */
export interface ReadAgain {
  /** The source, for the follower of the collection. */
  readonly source: FollowedSource;
  /** The follower, from which is heard when the collection has been read. */
  told(follower: Follower): Follower;
  /** Asks for it. Nothing happens if it is being read again already. */
  ask(): void;
}

/** Creates it. */
export const createReadAgain = ({ heard, round }: FollowedSource): ReadAgain => {
  let again = new AbortController();
  let isAsked = false;
  return {
    source: { heard, round: () => AbortSignal.any([round(), again.signal]) },
    told: (follower) => ({
      ...follower,
      onWhole: () => {
        isAsked = false;
        follower.onWhole();
      },
    }),
    ask: () => {
      if (isAsked) return;
      isAsked = true;
      again.abort();
      again = new AbortController();
    },
  };
};
