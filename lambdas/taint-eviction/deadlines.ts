import type { EpochMs } from '../../shared/api/time.ts';
import { delayUntil, LONGEST_DELAY_SECONDS } from '../../shared/domain/wake-up.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import type { TaintEvictionMessage } from './message.ts';
import { TAINT_EVICTION_QUEUE } from './queue.ts';

/** A deadline this close (ms) is waited for in the function. */
const NEAR_MS = 2_000;
/** A wake-up comes this much (ms) before its deadline, so that the function can meet the very instant. */
const WAKE_EARLY_MS = 1_000;
/** Beyond this (ms) the next sweep looks at the node again: a wake-up of each look would multiply with every sweep. */
const NEXT_SWEEP_MS = 90_000;

export interface Waiting {
  readonly outcome: 'waiting';
  readonly fireAt: EpochMs;
  readonly isNew: boolean;
}

type Outcome = Waiting | { readonly outcome: string };

const isWaiting = (outcome: Outcome): outcome is Waiting => outcome.outcome === 'waiting';

const earliest = (waiting: readonly Waiting[]): Waiting | undefined =>
  waiting.reduce<Waiting | undefined>(
    (first, one) => (first && first.fireAt <= one.fireAt ? first : one),
    undefined,
  );

/** The earliest deadline that the outcomes leave. */
export const nextDue = (outcomes: readonly Outcome[]): Waiting | undefined =>
  earliest(outcomes.filter(isWaiting));

export const isNear = (fireAt: EpochMs, now: EpochMs): boolean => fireAt - now < NEAR_MS;

const needsWakeUp = ({ fireAt, isNew }: Waiting, now: EpochMs): boolean =>
  fireAt - now <= (isNew ? LONGEST_DELAY_SECONDS * 1000 : NEXT_SWEEP_MS);

/**
 * Sends one wake-up with the same key for the earliest deadline that is new or due before a sweep surely comes. What lies
 * further away is left to the sweeps, which come each minute as long as the node has a NoExecute taint.
 */
export const sendWakeUp = async (
  { clock, queues }: { readonly clock: Clock; readonly queues: WorkQueues },
  message: TaintEvictionMessage,
  outcomes: readonly Outcome[],
): Promise<void> => {
  const now = clock.now();
  const next = earliest(outcomes.filter(isWaiting).filter((waiting) => needsWakeUp(waiting, now)));
  if (!next) return;
  const delaySeconds = delayUntil(next.fireAt - WAKE_EARLY_MS, now);
  await queues.send(TAINT_EVICTION_QUEUE.name, [{ body: message, delaySeconds }]);
};
