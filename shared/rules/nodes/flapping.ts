/** Nodes whose readiness comes and goes: each return of such a node would set the clock of all its pods back. */
import type { ConditionStatus } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isAhead } from '../zones/future-instants.ts';
import type { NoExecuteDecision } from './no-execute.ts';
import type { Damping } from './policy-settings.ts';

/** How many instants are stored for a node: no policy can ask for more losses. */
const MOST_LOSSES = 8;

/** A loss of readiness. */
export interface Loss {
  /** When Ready stopped being True, ms by our clock. */
  readonly lostAt: EpochMs;
}

/** The losses to store after a write at `now` (ms): the newest eight. The same array if Ready was not lost. */
export const lossesAfter = (
  losses: readonly Loss[],
  before: ConditionStatus | undefined,
  after: ConditionStatus | undefined,
  now: EpochMs,
): readonly Loss[] =>
  before === 'True' && after !== 'True' ? [...losses, { lostAt: now }].slice(-MOST_LOSSES) : losses;

/** Whether the node has lost its readiness so often in so short a time that it flaps. */
export const isFlapping = (
  losses: readonly Loss[],
  damping: Pick<Damping, 'losses' | 'withinMs'> | undefined,
  now: EpochMs,
): boolean =>
  damping !== undefined &&
  losses.filter(({ lostAt }) => !isAhead(lostAt, now) && now - lostAt <= damping.withinMs).length >=
    damping.losses;

/**
 * Whether a ready node keeps its NoExecute taint: it flaps, and has not been ready for long enough. `readySince` (ms): when Ready became
 * True; `undefined`: it just did.
 */
export const keepsTaint = (
  losses: readonly Loss[],
  readySince: EpochMs | undefined,
  damping: Damping | undefined,
  now: EpochMs,
): boolean => {
  if (!damping || !isFlapping(losses, damping, now)) return false;
  // An instant ahead of the clock says nothing: the node has been ready for a time that nobody knows.
  return readySince === undefined || (!isAhead(readySince, now) && now - readySince < damping.stableMs);
};

/** The decision about the taints of a node that may flap: one that flaps keeps its taint for a while. */
export const damped = (
  decision: NoExecuteDecision,
  losses: readonly Loss[],
  readySince: EpochMs | undefined,
  damping: Damping | undefined,
  now: EpochMs,
): NoExecuteDecision =>
  decision.action === 'remove' && keepsTaint(losses, readySince, damping, now)
    ? { action: 'none' }
    : decision;
