/** The events of one subscriber: from the shared feed, or by separate reads if the feed has moved on. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { Feed, Positioned, Source } from '../changes/source.ts';
import type { FeedDeps, Shared, SharedFeed } from './shared-feed.ts';
import { tryPoll } from './try-poll.ts';

/** One subscriber's events. */
export interface Subscription<E> {
  /** The events since the last call; none at `until` (ms) or when the subscriber's signal is aborted. Throws 410. */
  next(until: EpochMs): Promise<readonly E[]>;
  /** All events up to this position were returned. */
  position(): number;
  close(): void;
}

const throwIfFailed = (shared: { readonly failure?: Error } | undefined): void => {
  if (shared?.failure) throw shared.failure;
};

/** Reads events that the ring no longer has; backs off if the source makes no progress. */
const createOwnReads = <E extends Positioned>(source: Source<E>, { clock, onError }: FeedDeps) => {
  let own: Feed<E> | undefined;
  return {
    /** The next events. The first read follows the source from `position`, later ones go on until `end`. */
    next: async (position: number): Promise<{ events: readonly E[]; position: number }> => {
      own ??= source.follow(position);
      const feed = own;
      const before = feed.position();
      const { events, restMs } = await tryPoll(feed, onError);
      if (feed.position() === before) await clock.sleep(restMs);
      return { events, position: feed.position() };
    },
    end: (): void => {
      own?.close?.();
      own = undefined;
    },
  };
};

/** Subscribes to the feed until the subscription is closed. `after`: exclusive. */
export const createSubscription = <E extends Positioned>(
  feed: SharedFeed<E>,
  { source, ...deps }: FeedDeps & { readonly source: Source<E> },
  after: number,
  signal: AbortSignal,
): Subscription<E> => {
  const { clock } = deps;
  let position = after;
  const ownReads = createOwnReads(source, deps);
  let joined: Shared<E> | undefined;
  let isOpen = true;
  feed.enter();

  const take = (state: Shared<E>): readonly E[] => {
    const { recent } = state;
    joined = state;
    ownReads.end();
    const events = recent.after(position);
    position = Math.max(position, recent.end());
    return events;
  };

  const catchUp = async (): Promise<readonly E[]> => {
    const read = await ownReads.next(position);
    position = read.position;
    return read.events;
  };

  /** Returns `undefined` if the caller has to look again. */
  const look = async (from: EpochMs, until: EpochMs): Promise<readonly E[] | undefined> => {
    throwIfFailed(joined);
    const state = await feed.current(position);
    // The run may have failed, and woken its waiters, before this subscriber began to wait.
    throwIfFailed(state);
    const isBehind = position < state.recent.start();
    const events = isBehind ? await catchUp() : take(state);
    const now = clock.now();
    if (events.length > 0 || now >= until || now < from) return events;
    if (!isBehind && !signal.aborted) await feed.wait(until, signal);
    return undefined;
  };

  return {
    next: async (until) => {
      const from = clock.now();
      while (!signal.aborted) {
        const events = await look(from, until);
        if (events) return events;
      }
      return [];
    },
    position: () => position,
    close: () => {
      if (isOpen) feed.leave();
      isOpen = false;
      ownReads.end();
    },
  };
};
