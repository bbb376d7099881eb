import type { EpochMs } from '../api/time.ts';

/** Somebody used a token that an earlier signing key signed. */
export interface KeyUse {
  readonly kid: string;
  /** Whom the token speaks for. */
  readonly user: string;
  readonly lastUsedAt: EpochMs;
  /** When the token expires: then it needs its key no longer. */
  readonly expiresAt: EpochMs;
}

/** Who still depends on a signing key that is to be retired. */
export interface KeyUses {
  /** Stores the use, in the place of an earlier one of the same user and key. */
  record(use: KeyUse): Promise<void>;
  /** Uses of a key whose tokens have not expired at `now`, at most `limit`, in no order. */
  list(kid: string, now: EpochMs, limit: number): Promise<readonly KeyUse[]>;
}
