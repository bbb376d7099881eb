/** The status of a Hold. */
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Hold } from '../../kube/types/hold.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import type { HoldBook } from './hold-book.ts';
import { type HoldState, IN_FORCE, inForceOf, isInForce } from './hold-state.ts';

/** What the status says of a Hold. */
export type SaidState = Exclude<HoldState, 'Resumed'>;

const MESSAGES: Readonly<Record<SaidState, string>> = {
  Expired: 'The hold has ended.',
  Held: 'Nothing that this hold stops begins.',
  Closing: 'Writes that began before the hold may still be committed.',
};

/** Whether the Hold stands in the book. */
export const isBooked = ({ metadata: { uid } }: Hold, { active }: HoldBook): boolean =>
  active.some((hold) => hold.uid === uid);

const conditionOf = (hold: Hold, state: SaidState, now: EpochMs): Condition => {
  const status = state === 'Held' ? 'True' : 'False';
  const before = inForceOf(hold);
  return {
    type: IN_FORCE,
    status,
    lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? '') : toTime(now),
    reason: state,
    message: MESSAGES[state],
  };
};

/** The Hold in this state at `now` (ms), since it stands in a book of this epoch; the same object if it says so already. */
export const withHoldState = (
  hold: Hold,
  state: SaidState,
  epoch: number,
  now: EpochMs,
  heldNodes?: number,
): Hold => {
  const since = isInForce(hold) ? hold.status?.since : toTime(now);
  const status = {
    ...hold.status,
    epoch: isInForce(hold) && state === 'Held' ? (hold.status?.epoch ?? epoch) : epoch,
    ...optional('since', state === 'Held' ? since : hold.status?.since),
    ...optional('heldNodes', heldNodes),
    conditions: [conditionOf(hold, state, now)],
  };
  return deepEqual(hold.status, status) ? hold : { ...hold, status };
};
