/** The feed that all subscribers of a source share. A run lasts from the first subscriber to the last. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Feed, Positioned, Source } from '../changes/source.ts';
import { createRing, type Ring } from './ring.ts';
import { tryPoll } from './try-poll.ts';

/** Events that are kept for slightly late subscribers; later ones read the source themselves. */
const RING_EVENTS = 1_000;

/** What a feed needs. */
export interface FeedDeps {
  readonly clock: Clock;
  /** Called with the error of a failed poll, which is tried again. */
  readonly onError: (error: unknown) => void;
}

/** The events of one run. */
export interface Shared<E extends Positioned> {
  readonly recent: Ring<E>;
  /** Why the run ended while it had subscribers. */
  failure?: Error;
}

/** The shared feed of one source. */
export interface SharedFeed<E extends Positioned> {
  /** Counts a new subscriber. */
  enter(): void;
  /** Counts a subscriber less. The run ends with the last one. */
  leave(): void;
  subscribers(): number;
  /** The current run. Starts one if there is none, for a subscriber that wants the events after position `wanted`. */
  current(wanted: number): Promise<Shared<E>>;
  /** Resolves when there are new events, when the run has ended, at `until` (ms), or when `signal` is aborted. */
  wait(until: EpochMs, signal: AbortSignal): Promise<void>;
  /** There may be new events: poll now. */
  ring(): void;
}

/** Waiters woken per turn of the event loop: thousands at once would block all other work. */
const WOKEN_PER_TURN = 64;

/** Subscribers that wait for events of one source. */
interface Waiters {
  /**
   * Resolves when the waiter is woken or `signal` is aborted. Reaching `until` (ms) alone does not wake it:
   * `wakeDue` does.
   */
  wait(until: EpochMs, signal: AbortSignal): Promise<void>;
  wakeAll(): void;
  /** Wakes waiters whose `until` has come, and those whose wait began in the future because the clock was set back. */
  wakeDue(): void;
  /** The earliest `until` of all waiters (ms); `Infinity` without waiters. */
  earliest(): EpochMs;
}

interface Waiter {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly wake: () => void;
}

/** A wait that ends at an instant or by a notification. It serves one waiter at a time. */
interface WakeUp {
  /** Ends the current wait, or the next one if nothing waits. */
  ring(): void;
  /** Resolves at `until` (ms) or after `ring`. It may resolve early, so callers must check again. */
  wait(until: EpochMs): Promise<void>;
}

const wakeInTurns = ([...waiters]: readonly Waiter[]): void => {
  for (const waiter of waiters.splice(0, WOKEN_PER_TURN)) waiter.wake();
  if (waiters.length > 0) setImmediate(() => wakeInTurns(waiters));
};

/** Creates an empty set of waiters. */
const createWaiters = (clock: Pick<Clock, 'now'>): Waiters => {
  const waiters = new Set<Waiter>();
  return {
    wait: (until, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const waiter = { from: clock.now(), until, wake: done };
        waiters.add(waiter);
        signal.addEventListener('abort', done);
      }),
    wakeAll: () => wakeInTurns([...waiters]),
    wakeDue: () => {
      const now = clock.now();
      wakeInTurns([...waiters].filter(({ from, until }) => until <= now || now < from));
    },
    earliest: () => Math.min(...[...waiters].map(({ until }) => until)),
  };
};

/** Creates a wake-up without a notification pending. */
const createWakeUp = (clock: Clock): WakeUp => {
  let hasRung = false;
  let wake: (() => void) | undefined;
  let alarmAt = Number.POSITIVE_INFINITY;
  const ring = (): void => {
    hasRung = true;
    wake?.();
  };
  // Sleeps cannot be cancelled, so one that ends early enough for a later wait serves it, too.
  const setAlarm = (at: EpochMs): void => {
    if (alarmAt <= at) return;
    alarmAt = at;
    void clock.sleep(at - clock.now()).then(() => {
      if (alarmAt === at) alarmAt = Number.POSITIVE_INFINITY;
      ring();
    });
  };
  return {
    ring,
    wait: async (until) => {
      if (!hasRung)
        await new Promise<void>((resolve) => {
          wake = resolve;
          setAlarm(until);
        });
      wake = undefined;
      hasRung = false;
    },
  };
};

/** The shared feed of `source`; it polls only while it has subscribers. */
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
