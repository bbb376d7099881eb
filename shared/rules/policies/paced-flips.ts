/** How many nodes of a disrupted zone may become Unknown in one pass, if a policy paces them. */
import type { EpochMs } from '../../kube/values/time.ts';
import { isAhead } from '../zones/future-instants.ts';

/** Most nodes of one pass: what the rate (nodes per second) gives in one period, at least one. */
const mostOf = (rate: number, periodMs: number): number => Math.max(1, Math.floor((rate * periodMs) / 1000));

/**
 * The number of nodes that may become Unknown now. `lastAt` (ms): when the last node of the zone did that still is; one that is ahead of the
 * clock says nothing. So at most `rate` nodes per second become Unknown, and never more than one period's worth at once.
 */
export const flipsAllowed = (
  rate: number,
  lastAt: EpochMs | undefined,
  now: EpochMs,
  periodMs: number,
): number => {
  const most = mostOf(rate, periodMs);
  if (lastAt === undefined || isAhead(lastAt, now)) return most;
  return Math.min(most, Math.floor(((now - lastAt) * rate) / 1000));
};
