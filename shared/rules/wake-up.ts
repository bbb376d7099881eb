import type { EpochMs } from '../kube/values/time.ts';

/** Longest delay of a queue message, in seconds (SQS). */
export const LONGEST_DELAY_SECONDS = 900;
/** Wake-ups of a zone arrive this long (ms) before their instant; the worker waits until it. */
export const WAKE_EARLY_MS = 2_000;

/** A planned wake-up message. */
export interface WakeUp {
  /** Instant (ms, our clock) that the wake-up is for: the due instant, or the next hop towards it. */
  readonly wakeAt: EpochMs;
  /** Whole seconds for which the queue keeps the message back. */
  readonly delaySeconds: number;
}

/** Whole seconds from `now` to the instant, never past it, 0–900. */
export const delayUntil = (instant: EpochMs, now: EpochMs): number =>
  Math.min(LONGEST_DELAY_SECONDS, Math.max(0, Math.floor((instant - now) / 1000)));

/** Whole seconds from `now` to the instant, never before it, 0–900: for a look that finds nothing to do any earlier. */
export const delayPast = (instant: EpochMs, now: EpochMs): number =>
  Math.min(LONGEST_DELAY_SECONDS, Math.max(0, Math.ceil((instant - now) / 1000)));

/** Plans the message for an instant (ms): 2 to 3 s early, and in several hops if it is further away than a queue can delay. */
export const planWakeUp = (dueAt: EpochMs, now: EpochMs): WakeUp => {
  const wakeAt = Math.min(Math.max(dueAt, now), now + LONGEST_DELAY_SECONDS * 1000);
  return { wakeAt, delaySeconds: delayUntil(wakeAt - WAKE_EARLY_MS, now) };
};
