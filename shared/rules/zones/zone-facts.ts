/** What is stored of a zone for everyone who decides about it. */

import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { StoredZone } from './eviction-rate.ts';
import type { Limiter } from './rate-limiter.ts';
import type { ZoneState } from './zone-state.ts';

/** A zone as the last pass of the monitor and the last token have left it. */
export interface ZoneFacts {
  /** DNS name of the zone, see `zoneIdOf`. */
  readonly id: string;
  /** Zone key, `region:\0:zone`. */
  readonly key: string;
  readonly state: ZoneState | 'Initial';
  readonly size: number;
  readonly notReady: number;
  readonly limiter: Limiter;
  /** The first nodes in the queue for a NoExecute taint, longest wait first. */
  readonly waiting: readonly string[];
  /** Length of the whole queue. */
  readonly waitingCount: number;
  /** When state, rate or policies last changed, and why; absent in records from before they were kept. */
  readonly changedAt?: EpochMs;
  readonly reason?: string;
  /** Names and generations of the policies that hold for the whole zone. */
  readonly policies?: string;
  /** It is in full disruption with rate 0 by its own settings, see `ZoneDecision`. */
  readonly isHeld?: true;
  /** Silent nodes that keep their Ready until their turn, because a policy paces the zone; absent: none. They count as not ready. */
  readonly heldBack?: number;
  readonly updatedAt: EpochMs;
}

/** What the next pass asks of the zone. */
export const storedZone = ({ state, limiter, isHeld, policies }: ZoneFacts): StoredZone => ({
  state,
  rate: limiter.rate,
  ...(isHeld ? { isHeld } : {}),
  ...optional('policies', policies),
});
