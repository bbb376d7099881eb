import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { createTimers } from './timers.ts';

/** A clock whose time passes only when nothing else can run. */
export interface VirtualClock extends Clock {
  /**
   * Lets time pass until `work` is done: whenever nothing else can run, time jumps to the next sleeper. Throws if nothing sleeps
   * and `work` is still not done after 5,000 turns of the event loop.
   */
  run<T>(work: Promise<T>): Promise<T>;
  /** Moves the time by `ms` milliseconds without waking sleepers; for tests that call functions one by one. */
  advance(ms: number): void;
  /** As `Clock`'s; with `early`, it ends when that aborts. */
  sleep(ms: number, early?: AbortSignal): Promise<void>;
  /** How many sleep. */
  sleepers(): number;
}

/** Turns of the event loop that work may take while nothing sleeps on the clock. */
const MOST_IDLE_TURNS = 5_000;
/** Later idle turns last a millisecond each: signatures are verified on other threads, which a busy machine lets wait. */
const SHORT_IDLE_TURNS = 1_000;

/** Waits for one turn of the event loop, in which every promise that can continue does. */
const turn = (idleTurns: number): Promise<void> =>
  new Promise((resolve) => {
    if (idleTurns < SHORT_IDLE_TURNS) setImmediate(resolve);
    else setTimeout(resolve, 1);
  });

/** A clock that advances only when all work is asleep. Work in flight must do no real I/O. */
export const createVirtualClock = (start: EpochMs = 1_700_000_000_000): VirtualClock => {
  const sleepers = createTimers();
  let now = start;
  /** Wakes the next sleeper; returns whether there was one. */
  const wakeNext = (): boolean => {
    const next = sleepers.take();
    if (!next) return false;
    now = Math.max(now, next.at);
    next.wake();
    return true;
  };
  return {
    now: () => now,
    sleep: async (ms, early) => {
      if (ms <= 0 || early?.aborted) return;
      await new Promise<void>((wake) => {
        const remove = sleepers.add(now + ms, wake);
        early?.addEventListener('abort', () => {
          remove();
          wake();
        });
      });
    },
    sleepers: sleepers.count,
    advance: (ms) => {
      now += ms;
    },
    run: async (work) => {
      let done = false;
      const finish = (): void => {
        done = true;
      };
      work.then(finish, finish);
      let idleTurns = 0;
      for (await turn(idleTurns); !done; await turn(idleTurns)) {
        idleTurns = wakeNext() ? 0 : idleTurns + 1;
        if (idleTurns > MOST_IDLE_TURNS)
          throw new Error(
            'nothing sleeps and the work is not done: it waits for something that never happens',
          );
      }
      return work;
    },
  };
};
