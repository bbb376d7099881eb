/** Tokens for a command that talks to its cluster as long as it runs. */
import { issueToken, type TokenAuthority } from '../../shared/apiserver/access/authentication.ts';
import type { Identity } from './identities.ts';

/** Signs a token that is valid for `lifeSeconds`, and another one when half of that time is over. */
export const tokensOf = (
  authority: TokenAuthority,
  identity: Identity,
  lifeSeconds: number,
  now: () => number,
): (() => Promise<string>) => {
  const lifeMs = lifeSeconds * 1000;
  let [made, madeAt]: [Promise<string> | undefined, number] = [undefined, 0];
  return () => {
    if (made && now() - madeAt < lifeMs / 2) return made;
    madeAt = now();
    made = issueToken(authority, { ...identity, issuedAt: madeAt, expiresAt: madeAt + lifeMs });
    return made;
  };
};
