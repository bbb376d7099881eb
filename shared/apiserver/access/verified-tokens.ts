/** Tokens whose signature was checked already: machines send the same one with every beat. */
import type { EpochMs } from '../../api/time.ts';
import type { SigningKeys } from '../../ports/signing-keys.ts';

interface Claims {
  readonly exp?: number | undefined;
  readonly nbf?: number | undefined;
}

export interface VerifiedToken<Payload extends Claims> {
  readonly kid: string;
  /** The key that signed it, as it was found. */
  readonly secret: Uint8Array;
  readonly payload: Payload;
}

export interface VerifiedTokens<Payload extends Claims> {
  /** What was verified, if nothing that was checked can have changed: the key is still that one, and the token has not expired. */
  find(token: string, signingKeys: SigningKeys, now: EpochMs): Promise<VerifiedToken<Payload> | undefined>;
  /** Whether a token is kept; whether it still holds is for `find` to say. */
  has(token: string): boolean;
  remember(token: string, verified: VerifiedToken<Payload>): void;
  /**
   * The clock was set forward by `byMs` ms and is `now`: the tokens kept that were valid a moment ago are valid as long as they
   * would have been, at most a day. Nothing else is: a machine whose clock was wrong at its start must not go on to accept
   * what has long expired.
   */
  prolong(byMs: number, now: EpochMs): void;
  /** How much is kept. */
  size(): { readonly tokens: number; readonly characters: number };
}

/** Tokens kept: those of the largest fleet. */
const MOST_TOKENS = 32_768;
/** Characters of all tokens kept; those of a node have about 450. What is read from a token takes about twice its length. */
const MOST_CHARACTERS = 16_777_216;

/** Milliseconds for which a token outlives a step of the clock: until then its machine has asked for another one. */
const MOST_PROLONGED_MS = 24 * 60 * 60_000;

const isValid = ({ exp, nbf }: Claims, now: EpochMs): boolean =>
  exp !== undefined && exp > Math.floor(now / 1000) && nbf === undefined;

/**
 * Remembers by the whole token, so that a forged one is never found. For one issuer and audience. The token that nobody
 * has used for the longest time goes first.
 */
export const createVerifiedTokens = <Payload extends Claims>(): VerifiedTokens<Payload> => {
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
      const holds = isValid(known.payload, now) && (await signingKeys.find(known.kid)) === known.secret;
      if (holds) keep(token, known);
      else forget(token);
      return holds ? known : undefined;
    },
    has: (token) => tokens.has(token),
    remember: (token, verified) => {
      keep(token, verified);
      for (const oldest of tokens.keys()) {
        if (tokens.size <= MOST_TOKENS && characters <= MOST_CHARACTERS) return;
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
