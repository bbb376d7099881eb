/** The status of a Hold. */
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Hold } from '../../kube/types/hold.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, parseTime, toTime } from '../../kube/values/time.ts';
import type { HoldBook } from './hold-book.ts';

/** Condition of a Hold: nothing that it stops is committed any more. */
export const IN_FORCE = 'InForce';

/** What a Hold does: it has ended, or will not be taken into the book; it is in force; or writes that began before it may still end. */
export type HoldState = 'Expired' | 'Held' | 'Closing';

const MESSAGES: Readonly<Record<HoldState, string>> = {
  Expired: 'The hold has ended.',
  Held: 'Nothing that this hold stops begins.',
  Closing: 'Writes that began before the hold may still be committed.',
};

/** Whether the status says that the Hold is in force. */
export const isInForce = ({ status }: Hold): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === IN_FORCE && is === 'True') === true;

/** Whether its `until` is over at `now` (ms). */
export const isOver = ({ spec }: Hold, now: EpochMs): boolean => {
  const until = parseTime(spec?.until ?? '');
  return until !== undefined && until <= now;
};

/** Whether the Hold stands in the book. */
export const isBooked = ({ metadata: { uid } }: Hold, { active }: HoldBook): boolean =>
  active.some((hold) => hold.uid === uid);

const conditionOf = (hold: Hold, state: HoldState, now: EpochMs): Condition => {
  const status = state === 'Held' ? 'True' : 'False';
  const before = hold.status?.conditions?.find(({ type }) => type === IN_FORCE);
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
  state: HoldState,
  epoch: number,
  now: EpochMs,
  heldNodes?: number,
): Hold => {
  const since = isInForce(hold) ? hold.status?.since : toTime(now);
  const status = {
    ...hold.status,
    epoch: isInForce(hold) && state === 'Held' ? (hold.status?.epoch ?? epoch) : epoch,
    ...(state === 'Held' ? optional('since', since) : {}),
    ...optional('heldNodes', heldNodes),
    conditions: [conditionOf(hold, state, now)],
  };
  return deepEqual(hold.status, status) ? hold : { ...hold, status };
};
