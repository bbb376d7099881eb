/** When a relay renews its own token. */
import { type BackOffDelays, backOff } from '../../kube/values/back-off.ts';
import type { EpochMs } from '../../kube/values/time.ts';

/** The token of a relay, as the relay itself sees it. All instants are of a clock that cannot be set. */
export interface HeldToken {
  /** For how long it was issued (ms). */
  readonly lifeMs: number;
  /** When it was issued; absent: it was found in the file, and nobody knows how old it is. */
  readonly issuedAt?: EpochMs;
  /** Renewals in a row that have failed, and when the last one did. */
  readonly failures: number;
  readonly failedAt?: EpochMs;
}

const RETRY: BackOffDelays = { firstMs: 10_000, mostMs: 300_000 };

/**
 * When the token is to be renewed: when half of its time is over, and at once if its age is unknown, because the clock of the machine may be
 * wrong. After a failure, 10 s later, then 20 s, 40 s, up to 5 min (J-320).
 */
export const renewalDueAt = ({ lifeMs, issuedAt, failures, failedAt }: HeldToken): EpochMs => {
  const dueAt = issuedAt === undefined ? Number.NEGATIVE_INFINITY : issuedAt + lifeMs / 2;
  return failedAt === undefined ? dueAt : Math.max(dueAt, failedAt + backOff(RETRY, failures - 1));
};
