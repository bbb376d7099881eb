/** How far a Hold is, by its object. */
import type { Hold } from '../../kube/types/hold.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';

/** `Closing`: some things may still happen; `Held`: nothing that it stops happens; `Expired`: by its `until`; `Resumed`: it is being deleted. */
export type HoldState = 'Closing' | 'Held' | 'Expired' | 'Resumed';

/** Condition of a Hold: nothing that it stops is committed any more. */
export const IN_FORCE = 'InForce';

/** The condition that says whether the Hold is in force. */
export const inForceOf = ({ status }: Hold) => status?.conditions?.find(({ type }) => type === IN_FORCE);

/** Whether the Hold says that it is in force. */
export const isInForce = (hold: Hold): boolean => inForceOf(hold)?.status === 'True';

/** Whether its `until` is over at `now` (ms). */
export const isOver = ({ spec }: Hold, now: EpochMs): boolean => {
  const until = parseTime(spec?.until ?? '');
  return until !== undefined && until <= now;
};

/** The same, by the Hold itself or by what is known of it. */
const isExpired = (hold: Hold, now: EpochMs): boolean => {
  const condition = inForceOf(hold);
  return isOver(hold, now) || (condition?.status === 'False' && condition.reason === 'Expired');
};

/** The state of a Hold at `now` (ms). */
export const holdState = (hold: Hold, now: EpochMs): HoldState => {
  if (hold.metadata.deletionTimestamp !== undefined) return 'Resumed';
  if (isExpired(hold, now)) return 'Expired';
  return isInForce(hold) ? 'Held' : 'Closing';
};

/** Whether a Hold stops nothing any more at `now` (ms). */
export const hasEnded = (hold: Hold, now: EpochMs): boolean =>
  ['Expired', 'Resumed'].includes(holdState(hold, now));
