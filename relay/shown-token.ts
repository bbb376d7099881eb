/** Reads whose token a machine shows. The API verifies it: a relay trusts a token only after the API has accepted it. */

import { NODE_USER_PREFIX } from '../shared/kube/types/well-known.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';

/** What the token of a node says. */
export interface ShownToken {
  readonly name: string;
  readonly uid: string;
  readonly token: string;
  readonly untilAt: EpochMs;
}

/** The claims of a token, unverified; none if it is no token. */
export const claimsOf = (token: string): Readonly<Record<string, unknown>> => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? { ...claims } : {};
  } catch {
    return {};
  }
};

/** The token of a node that is bound to its Node; `undefined` for any other header. */
export const shownToken = (authorization: string | undefined): ShownToken | undefined => {
  const [, token] = /^bearer (\S+)$/i.exec(authorization ?? '') ?? [];
  if (token === undefined) return undefined;
  const { sub, node_uid: uid, exp } = claimsOf(token);
  if (typeof sub !== 'string' || !sub.startsWith(NODE_USER_PREFIX)) return undefined;
  if (typeof uid !== 'string' || typeof exp !== 'number') return undefined;
  return { name: sub.slice(NODE_USER_PREFIX.length), uid, token, untilAt: exp * 1000 };
};
