/** How far a Hold is, by its object. */
import type { Hold } from '../../kube/types/hold.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';

/** `Closing`: some things may still happen; `Held`: nothing that it stops happens; `Expired`: by its `until`; `Resumed`: it is being deleted. */
export type HoldState = 'Closing' | 'Held' | 'Expired' | 'Resumed';

/** The condition that says whether the Hold is in force. */
export const inForceOf = ({ status }: Hold) => status?.conditions?.find(({ type }) => type === 'InForce');

/** Whether `until` is over at `now` (ms), by the Hold itself or by what is known of it. */
const isExpired = (hold: Hold, now: EpochMs): boolean => {
  const { until } = hold.spec ?? {};
  const condition = inForceOf(hold);
  return (
    (until !== undefined && (parseTime(until) ?? now) <= now) ||
    (condition?.status === 'False' && condition.reason === 'Expired')
  );
};

/** The state of a Hold at `now` (ms). */
export const holdState = (hold: Hold, now: EpochMs): HoldState => {
  if (hold.metadata.deletionTimestamp !== undefined) return 'Resumed';
  if (isExpired(hold, now)) return 'Expired';
  return inForceOf(hold)?.status === 'True' ? 'Held' : 'Closing';
};

/** Whether a Hold stops nothing any more at `now` (ms). */
export const hasEnded = (hold: Hold, now: EpochMs): boolean =>
  ['Expired', 'Resumed'].includes(holdState(hold, now));
