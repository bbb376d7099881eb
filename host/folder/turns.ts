/**
 * Divides long work into turns of the event loop. SQLite is synchronous, so without pauses no request would be handled
 * meanwhile.
 */

import { createFifo } from './fifo.ts';
import { NO_STANDSTILL, type Standstill } from './standstill.ts';

/** Milliseconds after which work must wait for a later turn of the event loop. */
const LONGEST_TURN_MS = 10;
/** Of so many turns work gets one while something more urgent goes on: it is slow then, but never stands still. */
const TURNS_OF_URGENT = 8;

/** Pauses for long work. */
export interface Turns {
  /**
   * Never resolves once work stands still. Resolves at once while the turn is short, otherwise in a later turn. Only one waiting caller resumes in each turn, and while something
   * more urgent goes on in one turn of eight.
   */
  pause(): Promise<void>;
}

interface TurnOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Whether something more urgent goes on. */
  readonly isUrgent?: () => boolean;
  readonly standstill?: Standstill;
}

/** Creates pauses for work that shares its turns. */
export const createTurns = ({
  now = () => performance.now(),
  isUrgent = () => false,
  standstill = NO_STANDSTILL,
}: TurnOptions = {}): Turns => {
  const waiting = createFifo<() => void>();
  let startedAt: number | undefined;
  let passed = 0;
  const begin = (): void => {
    startedAt = now();
    setImmediate(() => {
      startedAt = undefined;
    });
  };
  const isPassed = (): boolean => {
    passed = isUrgent() ? (passed + 1) % TURNS_OF_URGENT : 0;
    return passed !== 0;
  };
  const next = (): void => {
    if (!isPassed()) waiting.take()?.();
    if (waiting.size() > 0) setImmediate(next);
  };
  const goOn = standstill.hold(async () => undefined);
  return {
    pause: async () => {
      if (startedAt === undefined) begin();
      if (isUrgent() || now() - (startedAt ?? now()) >= LONGEST_TURN_MS)
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.size() === 1) setImmediate(next);
        });
      await goOn();
    },
  };
};
