import type { EpochMs } from '../../kube/values/time.ts';

/** A use of a token that was signed with an earlier signing key. */
export interface KeyUse {
  readonly kid: string;
  /** The user that the token authenticates. */
  readonly user: string;
  readonly lastUsedAt: EpochMs;
  /** When the token expires and no longer needs the key. */
  readonly expiresAt: EpochMs;
}

/** Records which users still depend on a signing key that is to be retired. */
export interface KeyUses {
  /** Stores the use; it replaces an earlier one of the same user and key. */
  record(use: KeyUse): Promise<void>;
  /** Uses of a key whose tokens have not expired at `now`, at most `limit`, in no order. */
  list(kid: string, now: EpochMs, limit: number): Promise<readonly KeyUse[]>;
}
