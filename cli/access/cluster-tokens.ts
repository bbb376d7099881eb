/** Tokens for a command that talks to its cluster as long as it runs. */
import { issueToken, type TokenAuthority } from '../../shared/apiserver/access/authentication.ts';
import type { Identity } from './token.ts';

/** How long a token is valid, and from when on another one takes its place, ms. */
const TOKEN_MS = 3_600_000;
const RENEW_MS = 1_800_000;

/** Signs a token, and another one before it ends. */
export const tokensOf = (
  authority: TokenAuthority,
  identity: Identity,
  now: () => number,
): (() => Promise<string>) => {
  let [made, madeAt]: [Promise<string> | undefined, number] = [undefined, 0];
  return () => {
    if (made && now() - madeAt < RENEW_MS) return made;
    madeAt = now();
    made = issueToken(authority, { ...identity, issuedAt: madeAt, expiresAt: madeAt + TOKEN_MS });
    return made;
  };
};
