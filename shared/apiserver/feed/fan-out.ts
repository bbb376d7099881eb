/** One feed of a source for any number of subscribers. */

import type { Positioned, Source } from '../changes/source.ts';
import { createSharedFeed, type FeedDeps } from './shared-feed.ts';
import { createSubscription, type Subscription } from './subscription.ts';

/** The subscribers of one source. */
export interface FanOut<E> {
  /**
   * Subscribes to all events after position `after`, exclusive: they come from the ring, or from a feed of the
   * subscriber's own until the ring has the events that follow.
   */
  subscribe(after: number, signal: AbortSignal): Subscription<E>;
  /** There may be new events: poll now. */
  ring(): void;
  subscribers(): number;
}

/**
 * Follows the source from the first subscriber to the last. Nothing is buffered per subscriber: each takes the
 * events after its position from the shared ring, so a slow one does not slow down the others.
 */
export const createFanOut = <E extends Positioned>(source: Source<E>, deps: FeedDeps): FanOut<E> => {
  const feed = createSharedFeed(source, deps);
  return {
    subscribe: (after, signal) => createSubscription(feed, { ...deps, source }, after, signal),
    ring: feed.ring,
    subscribers: feed.subscribers,
  };
};
