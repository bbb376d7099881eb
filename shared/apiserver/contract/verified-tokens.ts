/** Cache of tokens whose signature was verified: nodes send the same token with every heartbeat. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { PublicKey, VerifyingKeys } from '../../ports/outside/signing-keys.ts';

interface Claims {
  readonly exp?: number | undefined;
  readonly nbf?: number | undefined;
}

/** A token that was verified, with the key that signed it and its claims. */
export interface VerifiedToken<Payload extends Claims> {
  readonly kid: string;
  /** The key that signed it, as it was when the token was verified. */
  readonly key: Uint8Array | PublicKey;
  readonly payload: Payload;
}

/** The cache of verified tokens of one issuer and audience. */
export interface VerifiedTokens<Payload extends Claims> {
  /** The verified token, if it is still valid: its key is unchanged and it has not expired at `now` (ms). */
  find(token: string, signingKeys: VerifyingKeys, now: EpochMs): Promise<VerifiedToken<Payload> | undefined>;
  /** The token, if it is in the cache. It may have expired, and its key may be another one: `find` tells that. */
  peek(token: string): VerifiedToken<Payload> | undefined;
  remember(token: string, verified: VerifiedToken<Payload>): void;
  /**
   * Call this after the clock was set forward by `byMs` ms, with the new time as `now`. Cached tokens that were
   * valid before stay valid as long as they would have been, at most a day. Other tokens do not: a host whose
   * clock was wrong at its start must not go on to accept tokens that expired long ago.
   */
  prolong(byMs: number, now: EpochMs): void;
  /** How many tokens are in the cache, and their total length. */
  size(): { readonly tokens: number; readonly characters: number };
}

/** What a cache holds at most: tokens, and characters of all of them. */
export interface TokenLimits {
  readonly tokens: number;
  readonly characters: number;
}

/** Limits for the memory of a function. A node's token has about 500 characters; its claims take about twice its length. */
const DEFAULT_LIMITS: TokenLimits = { tokens: 32_768, characters: 16_777_216 };

/**
 * Milliseconds for which a token stays valid after the clock was set forward: time for its node to ask for
 * another one.
 */
const MOST_PROLONGED_MS = 24 * 60 * 60_000;

/** Whether a token with these claims is valid at `now` (ms). */
export const isValid = ({ exp, nbf }: Claims, now: EpochMs): boolean =>
  exp !== undefined && exp > Math.floor(now / 1000) && nbf === undefined;

/**
 * Creates an empty cache, keyed by the whole token so that a forged one is never found. When it is full, the
 * least recently used token is dropped.
 */
export const createVerifiedTokens = <Payload extends Claims>(
  most: TokenLimits = DEFAULT_LIMITS,
): VerifiedTokens<Payload> => {
  const tokens = new Map<string, VerifiedToken<Payload>>();
  let characters = 0;
  const forget = (token: string): void => {
    if (tokens.delete(token)) characters -= token.length;
  };
  const keep = (token: string, verified: VerifiedToken<Payload>): void => {
    forget(token);
    tokens.set(token, verified);
    characters += token.length;
  };
  return {
    find: async (token, signingKeys, now) => {
      const known = tokens.get(token);
      if (!known) return undefined;
      const holds = isValid(known.payload, now) && (await signingKeys.find(known.kid)) === known.key;
      if (holds) keep(token, known);
      else forget(token);
      return holds ? known : undefined;
    },
    peek: (token) => tokens.get(token),
    remember: (token, verified) => {
      keep(token, verified);
      for (const oldest of tokens.keys()) {
        if (tokens.size <= most.tokens && characters <= most.characters) return;
        forget(oldest);
      }
    },
    prolong: (byMs, now) => {
      for (const [token, verified] of tokens) {
        const { payload } = verified;
        if (!isValid(payload, now - byMs) || isValid(payload, now)) continue;
        const until = Math.min((payload.exp ?? 0) * 1000 + byMs, now + MOST_PROLONGED_MS);
        tokens.set(token, { ...verified, payload: { ...payload, exp: Math.floor(until / 1000) } });
      }
    },
    size: () => ({ tokens: tokens.size, characters }),
  };
};
