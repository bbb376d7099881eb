import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import { delayUntil, LONGEST_DELAY_SECONDS } from '../../shared/rules/wake-up.ts';
import type { TaintEvictionMessage } from './message.ts';
import { TAINT_EVICTION_QUEUE } from './queue.ts';

/** The run itself waits for a deadline that is less than this far ahead (ms). */
const NEAR_MS = 2_000;
/** A wake-up is delivered this long (ms) before its deadline, so that the run can wait for the exact instant. */
const WAKE_EARLY_MS = 1_000;
/**
 * A known deadline that is further ahead than this (ms) gets no wake-up; a later sweep queues the node again. If every run sent
 * one, each sweep would add to the wake-ups.
 */
const NEXT_SWEEP_MS = 90_000;

/** The outcome of a pod that is to be deleted at `fireAt` (ms). `isNew`: this run stored the deadline. */
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

/** The earliest deadline among the outcomes. */
export const nextDue = (outcomes: readonly Outcome[]): Waiting | undefined =>
  earliest(outcomes.filter(isWaiting));

/** Whether the run itself waits for the deadline, instead of a wake-up. */
export const isNear = (fireAt: EpochMs, now: EpochMs): boolean => fireAt - now < NEAR_MS;

const needsWakeUp = ({ fireAt, isNew }: Waiting, now: EpochMs): boolean =>
  fireAt - now <= (isNew ? LONGEST_DELAY_SECONDS * 1000 : NEXT_SWEEP_MS);

/**
 * Queues `message` again for the earliest deadline that is new, or that is due before a sweep is sure to have run. Later deadlines
 * are left to the sweeps, which queue the node each minute as long as it has a NoExecute taint.
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
