import type { EpochMs } from '../../kube/values/time.ts';
import { isAhead } from './future-instants.ts';

/** A rate limiter with burst 1, stored as one instant (generic cell rate algorithm). */
export interface Limiter {
  /** Grants per second; 0 grants nothing. */
  readonly rate: number;
  /** The earliest instant (ms, our clock) of the next grant. */
  readonly nextAt: EpochMs;
}

/** Whether a token was granted: `limiter` is the limiter to store; `retryAt` (ms, our clock) is when to try again. */
export type TokenDecision =
  | { readonly granted: true; readonly limiter: Limiter }
  /** `retryAt` is `undefined` while the rate is 0, because no token will be granted. */
  | { readonly granted: false; readonly retryAt: EpochMs | undefined };

/** Whole milliseconds, rounded up: two grants are never closer than 1/rate. */
const intervalMs = (rate: number): number => Math.ceil(1000 / rate);

/** A full limiter: its first token is granted at once. `rate` in grants per second. */
export const newLimiter = (rate: number, now: EpochMs): Limiter => ({ rate, nextAt: now });

/**
 * Takes one token at `now` (ms); tokens do not accumulate beyond one.
 * Source: kubernetes v1.34 nodelifecycle/scheduler `RateLimitedTimedQueue`, a token bucket of burst 1.
 */
export const takeToken = (limiter: Limiter, now: EpochMs): TokenDecision => {
  if (limiter.rate <= 0) return { granted: false, retryAt: undefined };
  if (now < limiter.nextAt) return { granted: false, retryAt: limiter.nextAt };
  return { granted: true, limiter: { rate: limiter.rate, nextAt: now + intervalMs(limiter.rate) } };
};

/**
 * The limiter after the granted work was done at `doneAt` (ms), some time after the token was taken. The next grant is one
 * interval after `doneAt`, so that two taints are never closer than 1/rate; the same object when nothing changes.
 */
export const countTokenFrom = (limiter: Limiter, doneAt: EpochMs): Limiter => {
  const nextAt = limiter.rate > 0 ? doneAt + intervalMs(limiter.rate) : limiter.nextAt;
  return nextAt > limiter.nextAt ? { ...limiter, nextAt } : limiter;
};

/**
 * Repairs a limiter after the clock was set back: the next grant is at most one interval after `now` (ms), so a stored instant
 * further ahead becomes the end of an interval that starts now; otherwise the same object.
 */
export const boundLimiter = (limiter: Limiter, now: EpochMs): Limiter => {
  if (limiter.rate <= 0) return limiter;
  const latest = now + intervalMs(limiter.rate);
  return isAhead(limiter.nextAt, latest) ? { ...limiter, nextAt: latest } : limiter;
};

/**
 * The limiter at another rate (grants per second) from `now` (ms) on. A limiter that has no token now, or whose rate was 0, waits
 * one interval of the new rate; a full one stays full. Returns the same object when the rate is the same.
 * Source: kubernetes v1.34 nodelifecycle/scheduler `SwapLimiter`.
 */
export const changeRate = (limiter: Limiter, rate: number, now: EpochMs): Limiter => {
  if (rate === limiter.rate) return limiter;
  const isDrained = limiter.rate <= 0 || limiter.nextAt > now;
  return { rate, nextAt: isDrained && rate > 0 ? now + intervalMs(rate) : limiter.nextAt };
};
