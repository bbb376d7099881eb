/** What is left of a relay that was deleted. It has a file of its own, because it is read with every roster, and most rules of rosters are not needed then. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { RelayRoster } from './relay-items.ts';

/** The roster after its relay was deleted at `now`: nobody is on it. It stays, so that tokens from before count no more (J-323). */
export const closed = (roster: RelayRoster | undefined, now: EpochMs): RelayRoster => ({
  revision: (roster?.revision ?? 0) + 1,
  entries: [],
  closedAt: now,
});

/** Whether the relay was deleted, and no node has joined it since. */
export const isClosed = ({ entries, closedAt }: RelayRoster): boolean =>
  closedAt !== undefined && entries.length === 0;

/** Whether a token of the relay, issued at `issuedAt`, is from before the relay was deleted (J-323). */
export const isFromBefore = (roster: RelayRoster | undefined, issuedAt: EpochMs | undefined): boolean =>
  roster?.closedAt !== undefined && (issuedAt ?? 0) <= roster.closedAt;
