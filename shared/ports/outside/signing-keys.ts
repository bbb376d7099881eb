/** A secret that signs tokens, and its id in the tokens (`kid`). */
export interface SigningKey {
  readonly kid: string;
  readonly secret: Uint8Array;
}

/** The cluster's signing keys: one signs, several may be valid, so that keys can be replaced without invalidating tokens. */
export interface SigningKeys {
  /** The key that signs new tokens. Rejects if the keys cannot be read. */
  current(): Promise<SigningKey>;
  /** The secret of `kid`; `undefined` if no valid key has that id. */
  find(kid: string): Promise<Uint8Array | undefined>;
}

/** The keys as `SigningKeys` has them, without promises: those of a host are in its memory. */
export interface KeysAtOnce {
  /** The key that signs new tokens. */
  now(): SigningKey;
}
