/** Tokens whose signature was checked already: machines send the same one with every beat. */
import type { EpochMs } from '../api/time.ts';
import type { SigningKeys } from '../ports/signing-keys.ts';

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
  /** The payload, if nothing that was checked can have changed: the key is still that one, and the token has not expired. */
  find(token: string, signingKeys: SigningKeys, now: EpochMs): Promise<Payload | undefined>;
  remember(token: string, verified: VerifiedToken<Payload>): void;
}

/** Tokens kept: those of the largest fleet, a few MB. The oldest goes first. */
const MOST = 32_768;

const isValid = ({ exp, nbf }: Claims, now: EpochMs): boolean =>
  exp !== undefined && exp > Math.floor(now / 1000) && nbf === undefined;

/** Remembers by the whole token, so that a forged one is never found. For one issuer and audience. */
export const createVerifiedTokens = <Payload extends Claims>(): VerifiedTokens<Payload> => {
  const tokens = new Map<string, VerifiedToken<Payload>>();
  return {
    find: async (token, signingKeys, now) => {
      const known = tokens.get(token);
      if (!known) return undefined;
      const holds = isValid(known.payload, now) && (await signingKeys.find(known.kid)) === known.secret;
      if (!holds) tokens.delete(token);
      return holds ? known.payload : undefined;
    },
    remember: (token, verified) => {
      tokens.set(token, verified);
      const oldest = tokens.size > MOST ? tokens.keys().next().value : undefined;
      if (oldest !== undefined) tokens.delete(oldest);
    },
  };
};
