/** A secret from which the key pair that signs tokens is derived, and its id in the tokens (`kid`). */
export interface SigningKey {
  readonly kid: string;
  readonly secret: Uint8Array;
}

/** The public half of a key: it verifies tokens, and signs none. */
export interface PublicKey {
  /** The point, 32 bytes in base64url, as `x` of a JWK has it. Source: RFC 8037 §2. */
  readonly x: string;
}

/** The cluster's keys as who verifies tokens needs them: one signs, several may be valid, so that keys can be replaced without invalidating tokens. */
export interface VerifyingKeys {
  /** The key that signs new tokens. Rejects if the keys cannot be read. */
  current(): Promise<Pick<SigningKey, 'kid'>>;
  /** The secret of `kid`, or its public half; `undefined` if no valid key has that id. The same object as long as the key is unchanged. */
  find(kid: string): Promise<Uint8Array | PublicKey | undefined>;
}

/** The cluster's signing keys. */
export interface SigningKeys extends VerifyingKeys {
  current(): Promise<SigningKey>;
  find(kid: string): Promise<Uint8Array | undefined>;
}

/** The keys as `SigningKeys` has them, without promises: those of a host are in its memory. */
export interface KeysAtOnce {
  /** The key that signs new tokens. */
  now(): SigningKey;
}
