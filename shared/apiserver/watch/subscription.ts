/** What one subscriber takes from a shared feed, or reads for itself where that has moved on. */
import type { EpochMs } from '../../api/time.ts';
import type { FeedDeps, Shared, SharedFeed } from './shared-feed.ts';
import type { Feed, Positioned, Source } from './source.ts';
import { tryPoll } from './try-poll.ts';

export interface Subscription<E> {
  /** What came since the last call; none at `until` or when the subscriber's signal is aborted. Throws 410. */
  next(until: EpochMs): Promise<readonly E[]>;
  /** Everything up to here was returned. */
  position(): number;
  close(): void;
}

const throwIfFailed = (shared: { readonly failure?: Error } | undefined): void => {
  if (shared?.failure) throw shared.failure;
};

/** Reads what the ring no longer has; backs off if the source makes no progress. */
const readAlone = async <E extends Positioned>(
  feed: Feed<E>,
  { clock, onError }: FeedDeps,
): Promise<readonly E[]> => {
  const before = feed.position();
  const { events, restMs } = await tryPoll(feed, onError);
  if (feed.position() === before) await clock.sleep(restMs);
  return events;
};

/** The subscriber is one of the feed's until it is closed. `after`: exclusive. */
export const createSubscription = <E extends Positioned>(
  feed: SharedFeed<E>,
  { source, ...deps }: FeedDeps & { readonly source: Source<E> },
  after: number,
  signal: AbortSignal,
): Subscription<E> => {
  const { clock } = deps;
  let position = after;
  let own: Feed<E> | undefined;
  let joined: Shared<E> | undefined;
  let isOpen = true;
  feed.enter();

  const endOwn = (): void => {
    own?.close?.();
    own = undefined;
  };

  const take = (state: Shared<E>): readonly E[] => {
    const { recent } = state;
    joined = state;
    endOwn();
    const events = recent.after(position);
    position = Math.max(position, recent.end());
    return events;
  };

  const catchUp = async (): Promise<readonly E[]> => {
    own ??= source.follow(position);
    const reading = own;
    const events = await readAlone(reading, deps);
    position = reading.position();
    return events;
  };

  /** `undefined`: look again. */
  const look = async (from: EpochMs, until: EpochMs): Promise<readonly E[] | undefined> => {
    throwIfFailed(joined);
    const state = await feed.current(position);
    // It may have failed, and woken its waiters, before this one could wait.
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
      endOwn();
    },
  };
};
