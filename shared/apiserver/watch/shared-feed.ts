/** The one feed that all subscribers of a source share, from the first to the last. */
import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { createRing, type Ring } from './ring.ts';
import type { Feed, Positioned, Source } from './source.ts';
import { tryPoll } from './try-poll.ts';
import { createWaiters } from './waiters.ts';
import { createWakeUp } from './wake-up.ts';

/** Events that are kept for slightly late subscribers; later ones read the source themselves. */
const RING_EVENTS = 1_000;

export interface FeedDeps {
  readonly clock: Clock;
  /** A poll failed and is tried again. */
  readonly onError: (error: unknown) => void;
}

/** The events of one run, from its first subscriber to its last. */
export interface Shared<E extends Positioned> {
  readonly recent: Ring<E>;
  /** Why it ended before its subscribers did. */
  failure?: Error;
}

export interface SharedFeed<E extends Positioned> {
  /** One subscriber more. */
  enter(): void;
  /** One subscriber less. The run ends with the last. */
  leave(): void;
  subscribers(): number;
  /** The present run; begins one where there is none, for a subscriber who wants what follows `wanted`. */
  current(wanted: number): Promise<Shared<E>>;
  /** Resolves when there is news or the run has ended, at `until`, or when `signal` is aborted. */
  wait(until: EpochMs, signal: AbortSignal): Promise<void>;
  /** There may be news: look now. */
  ring(): void;
}

export const createSharedFeed = <E extends Positioned>(
  source: Source<E>,
  { clock, onError }: FeedDeps,
): SharedFeed<E> => {
  const news = createWakeUp(clock);
  const waiters = createWaiters(clock);
  let open = 0;
  let restsUntil = 0;
  let shared: Promise<Shared<E>> | undefined;

  const turn = async ({ recent }: Shared<E>, feed: Feed<E>): Promise<void> => {
    const { events, restMs } = await tryPoll(feed, onError);
    recent.push(events, feed.position());
    if (events.length > 0) return waiters.wakeAll();
    waiters.wakeDue();
    if (open === 0) return;
    restsUntil = Math.min(waiters.earliest(), clock.now() + restMs);
    await news.wait(restsUntil);
  };

  const run = async (state: Shared<E>, feed: Feed<E>): Promise<void> => {
    try {
      while (open > 0) await turn(state, feed);
    } catch (error) {
      state.failure = error instanceof Error ? error : new Error('the source failed', { cause: error });
    }
    feed.close?.();
    shared = undefined;
    waiters.wakeAll();
    if (open === 0) source.release?.();
  };

  const start = async (wanted: number): Promise<Shared<E>> => {
    const from = await source.head(wanted);
    const state = { recent: createRing<E>(from, RING_EVENTS) };
    void run(state, source.follow(from));
    return state;
  };

  return {
    enter: () => {
      open += 1;
    },
    leave: () => {
      open -= 1;
      if (open === 0) news.ring();
    },
    subscribers: () => open,
    current: (wanted) => {
      shared ??= start(wanted).catch((error: unknown) => {
        shared = undefined;
        throw error;
      });
      return shared;
    },
    wait: (until, signal) => {
      const woken = waiters.wait(until, signal);
      if (until < restsUntil) news.ring();
      return woken;
    },
    ring: news.ring,
  };
};
