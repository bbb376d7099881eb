/** Reads one collection again, alone: its watch may hang on a connection that is dead, while others work. */
import type { FollowDeps, Follower } from './follow.ts';
import type { Source } from './source.ts';

type FollowedSource = FollowDeps['source'];

/** The source, and what makes it connect anew. */
export type DoubtedSource = FollowedSource & Pick<Source, 'closeIdle'>;

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
export const createReadAgain = ({ heard, round, closeIdle }: DoubtedSource): ReadAgain => {
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
      // Whatever silenced the watch may have silenced them, and the list would be given up only after 15 s.
      closeIdle();
      again.abort();
      again = new AbortController();
    },
  };
};
