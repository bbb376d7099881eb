/** A secret that signs tokens, and the id under which tokens name it. */
export interface SigningKey {
  readonly kid: string;
  readonly secret: Uint8Array;
}

/** The keys of the cluster's tokens: one signs, several may be valid at once, so that keys can be replaced without a gap. */
export interface SigningKeys {
  current(): Promise<SigningKey>;
  /** The secret of `kid`; `undefined` when no valid key has that id. */
  find(kid: string): Promise<Uint8Array | undefined>;
}
