/** Lets those requests in that the control plane has permitted. */
import { verify } from 'node:crypto';
import { type RequestClaims, type TokenVerdict, tokenVerdict } from '../rules/server/request-token.ts';
import type { SessionKeys } from './session-keys.ts';

export interface TokenOwner {
  readonly clusterId: string;
  readonly nodeUid: string;
}

export interface CheckedRequest {
  readonly authorization: string | undefined;
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
}

/** Resolves with what is wrong; `undefined`: nothing. Rejects if the cluster does not tell its keys. */
export type TokenCheck = (request: CheckedRequest) => Promise<string | undefined>;

const MOST_LENGTH = 16_384;
/** Tokens of which it is remembered that they were used. The control plane would have to sign more than this in five minutes. */
const MOST_USED = 20_000;

interface Token {
  readonly kid: string;
  readonly signed: Buffer;
  readonly signature: Buffer;
  readonly claims: RequestClaims;
}

const jsonIn = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;

const tokenIn = (authorization: string | undefined): Token | undefined => {
  const [, text = ''] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '') ?? [];
  const [header = '', payload = '', signature = ''] = text.split('.');
  if (text === '' || text.length > MOST_LENGTH) return undefined;
  try {
    const { alg, kid } = jsonIn(header);
    if (alg !== 'EdDSA' || typeof kid !== 'string') return undefined;
    const signed = Buffer.from(`${header}.${payload}`);
    return { kid, signed, signature: Buffer.from(signature, 'base64url'), claims: jsonIn(payload) };
  } catch {
    return undefined;
  }
};

const isOfTime = (verdict: TokenVerdict): boolean => 'isTime' in verdict && verdict.isTime === true;

export const createTokenCheck = (keys: SessionKeys, owner: () => TokenOwner | undefined): TokenCheck => {
  const used = new Map<string, number>();
  const forget = (now: number): void => {
    for (const [id, until] of used) if (until < now) used.delete(id);
  };
  const useOnce = (id: string, until: number, now: number): string | undefined => {
    if (used.size >= MOST_USED) forget(now);
    if (used.has(id)) return 'the token was used already';
    if (used.size >= MOST_USED) return 'too many requests';
    used.set(id, until);
    return undefined;
  };
  return async ({ authorization, path, query }) => {
    const own = owner();
    if (!own) return 'the machine has not joined yet';
    const token = tokenIn(authorization);
    if (!token) return 'a token for this request is needed';
    const key = await keys.find(token.kid);
    if (!key || !verify(null, token.signed, key, token.signature))
      return 'the signature of the token is wrong';
    const judge = (): TokenVerdict => tokenVerdict(token.claims, { ...own, path, query, now: keys.now() });
    let verdict = judge();
    if (isOfTime(verdict)) {
      await keys.refresh();
      verdict = judge();
    }
    return 'fault' in verdict ? verdict.fault : useOnce(verdict.id, verdict.usedUntil, keys.now());
  };
};
