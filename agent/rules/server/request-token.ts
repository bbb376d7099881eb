/** Whether a token lets its bearer send one request to the agent's server. The control plane makes one for each request that it has permitted. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';

/** Of a token whose signature is right. Nothing of it is known to have its form. */
export interface RequestClaims {
  readonly iss?: unknown;
  readonly aud?: unknown;
  readonly iat?: unknown;
  readonly exp?: unknown;
  readonly jti?: unknown;
  readonly 'rollcall.dev/request'?: unknown;
}

export interface TokenExpectation {
  readonly clusterId: string;
  readonly nodeUid: string;
  /** Of the request, as it came. */
  readonly path: string;
  /** Without `?`; `''`: none. */
  readonly query: string;
  /** By the clock of the control plane. */
  readonly now: EpochMs;
}

/** `isTime`: another look at the control plane's clock may find the token right. */
export type TokenVerdict =
  | { readonly id: string; readonly usedUntil: EpochMs }
  | { readonly fault: string; readonly isTime?: true };

/** How far apart the agent's idea of the control plane's clock may be (ms). */
export const LEEWAY_MS = 30_000;
/** Longest life of a token (ms). */
const MOST_LIFE_MS = 5 * 60_000;

/** `aud` of the tokens for a node. */
export const audienceOf = (nodeUid: string): string => `https://rollcall.dev/nodes/${nodeUid}`;

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const requestFault = (request: unknown, { path, query }: TokenExpectation): string | undefined => {
  const asked = (request ?? {}) as { readonly path?: unknown; readonly query?: unknown };
  return asked.path === path && asked.query === query ? undefined : 'the token is for another request';
};

/** Whether the token permits the request. It does so once: the caller remembers its id until `usedUntil`. */
export const tokenVerdict = (claims: RequestClaims, expected: TokenExpectation): TokenVerdict => {
  const { iss, aud, iat, exp, jti } = claims;
  if (iss !== expected.clusterId) return { fault: 'the token is of another cluster' };
  if (aud !== audienceOf(expected.nodeUid)) return { fault: 'the token is for another node' };
  if (!isNumber(iat) || !isNumber(exp) || typeof jti !== 'string' || jti === '')
    return { fault: 'the token has no iat, exp or jti' };
  if ((exp - iat) * 1000 > MOST_LIFE_MS) return { fault: 'the token is issued for longer than five minutes' };
  if (exp * 1000 + LEEWAY_MS < expected.now) return { fault: 'the token has expired', isTime: true };
  if (iat * 1000 - LEEWAY_MS > expected.now) return { fault: 'the token is of the future', isTime: true };
  const fault = requestFault(claims['rollcall.dev/request'], expected);
  return fault === undefined ? { id: jti, usedUntil: exp * 1000 + LEEWAY_MS } : { fault };
};
