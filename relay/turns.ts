/** When the batches of each part are sent. */
import { backOff } from '../shared/kube/values/back-off.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';

/** How the last batch of a part ended. `outOfTurn`: the API had stored a later one than the relay knew. */
export type Outcome = 'accepted' | 'outOfTurn' | 'failed';

/** The state of one part. */
export interface Turn {
  readonly dueAt: EpochMs;
  readonly failures: number;
  readonly isSending: boolean;
  readonly wasOutOfTurn: boolean;
}

/** Pause before a batch after news: others may come at the same time. */
const NEWS_MS = 500;
const FIRST_RETRY_MS = 1_000;

/** A part that has sent nothing yet. */
export const IDLE: Turn = { dueAt: 0, failures: 0, isSending: false, wasOutOfTurn: false };

/** Two relays of one name do not follow each other at once for ever. */
const pauseAfter = (outcome: Outcome, failures: number, before: Turn, intervalMs: number): number => {
  if (outcome === 'accepted') return intervalMs;
  if (outcome === 'outOfTurn') return before.wasOutOfTurn ? FIRST_RETRY_MS : 0;
  return backOff({ firstMs: FIRST_RETRY_MS, mostMs: intervalMs }, failures - 1);
};

/** The turn after a batch that was sent at `startedAt`. */
export const turnAfter = (before: Turn, outcome: Outcome, startedAt: EpochMs, intervalMs: number): Turn => {
  const failures = outcome === 'failed' ? before.failures + 1 : 0;
  const dueAt = startedAt + pauseAfter(outcome, failures, before, intervalMs);
  return { dueAt, failures, isSending: false, wasOutOfTurn: outcome === 'outOfTurn' };
};

/** Whether a batch is due; earlier if nodes wait to join, unless the last one has failed. */
export const isDue = (turn: Turn, hasNews: boolean, at: EpochMs, intervalMs: number): boolean => {
  if (turn.isSending) return false;
  return at >= turn.dueAt || (hasNews && turn.failures === 0 && at >= turn.dueAt - intervalMs + NEWS_MS);
};
