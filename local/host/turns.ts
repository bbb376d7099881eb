/** Whoever works long lets others have a turn: SQLite answers at once, so that nothing else would be heard meanwhile. */

import { createFifo } from './fifo.ts';

/** Milliseconds after which work that could go on waits for another turn of the event loop. */
const LONGEST_TURN_MS = 10;

export interface Turns {
  /** Resolves at once while this turn is young, else in a later one; who waits gets a turn alone. */
  pause(): Promise<void>;
}

export const createTurns = (now: () => number = () => performance.now()): Turns => {
  const waiting = createFifo<() => void>();
  let startedAt: number | undefined;
  const begin = (): void => {
    startedAt = now();
    setImmediate(() => {
      startedAt = undefined;
    });
  };
  const next = (): void => {
    waiting.take()?.();
    if (waiting.size() > 0) setImmediate(next);
  };
  return {
    pause: async () => {
      if (startedAt === undefined) begin();
      else if (now() - startedAt >= LONGEST_TURN_MS)
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.size() === 1) setImmediate(next);
        });
    },
  };
};
