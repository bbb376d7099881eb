/** One feed of a source for any number of subscribers. */
import { hasReason } from '../../api/status-error.ts';
import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { createRing, type Ring } from './ring.ts';
import type { Feed, Positioned, Source } from './source.ts';
import { createWakeUp } from './wake-up.ts';

/** Events that are kept for subscribers who are a little behind; who is further behind reads for himself. */
const RING_EVENTS = 1_000;
/** Subscribers that are told at once: thousands in one turn of the event loop would keep everybody else waiting. */
const WOKEN_PER_TURN = 64;
/** Milliseconds before a failed poll is tried again. */
const RETRY_MS = 1_000;

export interface Subscription<E> {
  /** What came since the last call; none at `until` or when the subscriber's signal is aborted. Throws 410. */
  next(until: EpochMs): Promise<readonly E[]>;
  /** Everything up to here was returned. */
  position(): number;
  close(): void;
}

export interface FanOut<E> {
  /** Everything after `after`, exclusive: from the ring, or by a feed of its own until the ring has what follows. */
  subscribe(after: number, signal: AbortSignal): Subscription<E>;
  /** There may be news: look now. */
  ring(): void;
  subscribers(): number;
}

export interface FanOutDeps {
  readonly clock: Clock;
  /** A poll failed and is tried again. */
  readonly onError: (error: unknown) => void;
}

interface Waiter {
  /** When it began to wait: a clock that is behind it was set back. */
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly wake: () => void;
}

/** The feed that all share, from its first subscriber to its last. */
interface Shared<E extends Positioned> {
  readonly recent: Ring<E>;
  /** Why it ended before its subscribers did. */
  failure?: Error;
}

const wakeInTurns = ([...waiters]: readonly Waiter[]): void => {
  for (const waiter of waiters.splice(0, WOKEN_PER_TURN)) waiter.wake();
  if (waiters.length > 0) setImmediate(() => wakeInTurns(waiters));
};

const isExpired = (error: unknown): boolean => hasReason(error, 'Expired');

/** Polls; a failure that another try may mend is told, and counts as no news. */
const tryPoll = async <E extends Positioned>(feed: Feed<E>, onError: FanOutDeps['onError']) => {
  try {
    return { events: await feed.poll(), restMs: feed.restMs() };
  } catch (error) {
    if (isExpired(error)) throw error;
    onError(error);
    return { events: [], restMs: RETRY_MS };
  }
};

const throwIfFailed = (shared: { readonly failure?: Error } | undefined): void => {
  if (shared?.failure) throw shared.failure;
};

/**
 * Starts to follow the source with the first subscriber and stops with the last. Nothing is buffered for a subscriber: it
 * takes from the shared ring what follows its position, so one that is slow costs the others nothing.
 */
export const createFanOut = <E extends Positioned>(
  source: Source<E>,
  { clock, onError }: FanOutDeps,
): FanOut<E> => {
  const news = createWakeUp(clock);
  const waiters = new Set<Waiter>();
  let open = 0;
  let restsUntil = 0;
  let shared: Promise<Shared<E>> | undefined;

  const wake = (isDue: (waiter: Waiter) => boolean): void => {
    wakeInTurns([...waiters].filter(isDue));
  };

  const turn = async ({ recent }: Shared<E>, feed: Feed<E>): Promise<void> => {
    const { events, restMs } = await tryPoll(feed, onError);
    recent.push(events, feed.position());
    const now = clock.now();
    wake(({ from, until }) => events.length > 0 || until <= now || now < from);
    if (events.length > 0 || open === 0) return;
    restsUntil = Math.min(...[...waiters].map(({ until }) => until), now + restMs);
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
    wake(() => true);
    if (open === 0) source.release?.();
  };

  const start = async (wanted: number): Promise<Shared<E>> => {
    const from = await source.head(wanted);
    const state = { recent: createRing<E>(from, RING_EVENTS) };
    void run(state, source.follow(from));
    return state;
  };

  const current = (wanted: number): Promise<Shared<E>> => {
    shared ??= start(wanted).catch((error: unknown) => {
      shared = undefined;
      throw error;
    });
    return shared;
  };

  const wait = (until: EpochMs, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        waiters.delete(waiter);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const waiter = { from: clock.now(), until, wake: done };
      waiters.add(waiter);
      signal.addEventListener('abort', done);
      if (until < restsUntil) news.ring();
    });

  /** Reads what the ring no longer has; a source that is stuck gets a rest. */
  const readAlone = async (feed: Feed<E>): Promise<readonly E[]> => {
    const before = feed.position();
    const { events, restMs } = await tryPoll(feed, onError);
    if (feed.position() === before) await clock.sleep(restMs);
    return events;
  };

  const createSubscription = (after: number, signal: AbortSignal): Subscription<E> => {
    let position = after;
    let own: Feed<E> | undefined;
    let joined: Shared<E> | undefined;
    let isOpen = true;
    open += 1;

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
      const feed = own ?? source.follow(position);
      own = feed;
      const events = await readAlone(feed);
      position = feed.position();
      return events;
    };

    /** `undefined`: look again. */
    const look = async (from: EpochMs, until: EpochMs): Promise<readonly E[] | undefined> => {
      throwIfFailed(joined);
      const state = await current(position);
      // It may have failed, and woken its waiters, before this one could wait.
      throwIfFailed(state);
      const isBehind = position < state.recent.start();
      const events = isBehind ? await catchUp() : take(state);
      const now = clock.now();
      if (events.length > 0 || now >= until || now < from) return events;
      if (!isBehind && !signal.aborted) await wait(until, signal);
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
        open -= Number(isOpen);
        isOpen = false;
        endOwn();
        if (open === 0) news.ring();
      },
    };
  };

  return { subscribe: createSubscription, ring: news.ring, subscribers: () => open };
};
