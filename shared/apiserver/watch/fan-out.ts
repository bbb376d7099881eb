/** One feed of a source for any number of subscribers. */
import { createSharedFeed, type FeedDeps } from './shared-feed.ts';
import type { Positioned, Source } from './source.ts';
import { createSubscription, type Subscription } from './subscription.ts';

export interface FanOut<E> {
  /** Everything after `after`, exclusive: from the ring, or by a feed of its own until the ring has what follows. */
  subscribe(after: number, signal: AbortSignal): Subscription<E>;
  /** There may be news: look now. */
  ring(): void;
  subscribers(): number;
}

/**
 * Starts to follow the source with the first subscriber and stops with the last. Nothing is buffered for a subscriber: it
 * takes from the shared ring what follows its position, so one that is slow costs the others nothing.
 */
export const createFanOut = <E extends Positioned>(source: Source<E>, deps: FeedDeps): FanOut<E> => {
  const feed = createSharedFeed(source, deps);
  return {
    subscribe: (after, signal) => createSubscription(feed, { ...deps, source }, after, signal),
    ring: feed.ring,
    subscribers: feed.subscribers,
  };
};
