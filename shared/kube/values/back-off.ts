/** Exponential back-off: the delay before the next try doubles after each failed try, up to a bound. */

/** The first delay and the longest one. Both are finite. */
export interface BackOffDelays {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** The delay does not overflow with more doublings than these, and has reached its bound long before. */
const MOST_DOUBLINGS = 50;

/** Milliseconds to wait after `tries` tries that have waited before: `firstMs` at 0, and finite for any count. */
export const backOff = ({ firstMs, mostMs }: BackOffDelays, tries: number): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(tries, MOST_DOUBLINGS));

/** From half of `ms` to `ms`, so that clients that failed together do not retry together. `random` is from 0 to 1. */
export const jittered = (ms: number, random: number): number => ms * (0.5 + random / 2);
