import type { PodIdentity } from '../machine/runtime.ts';

export interface TokenWish {
  readonly pod: PodIdentity;
  readonly serviceAccount: string;
  /** Absent: that of the API. */
  readonly audience?: string;
  readonly expirationSeconds: number;
}

export interface IssuedToken {
  readonly token: string;
  /** For how long it was issued. */
  readonly lifeMs: number;
}

/** Asks the API for tokens of service accounts that are bound to a pod (TokenRequest). Rejects with the API's message. */
export interface ServiceAccountTokens {
  request(wish: TokenWish): Promise<IssuedToken>;
}
