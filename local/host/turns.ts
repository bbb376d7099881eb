/**
 * Divides long work into turns of the event loop. SQLite is synchronous, so without pauses no request would be handled
 * meanwhile.
 */

import { createFifo } from './fifo.ts';

/** Milliseconds after which work must wait for a later turn of the event loop. */
const LONGEST_TURN_MS = 10;

/** Pauses for long work. */
export interface Turns {
  /** Resolves at once while the turn is short, otherwise in a later turn. Only one waiting caller resumes in each turn. */
  pause(): Promise<void>;
}

/** `now`: milliseconds of a monotonic clock. */
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
