/** Bearer tokens: JWT, HS256, with the key's id in the header. */
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { StatusError } from '../api/status-error.ts';
import { unauthorized } from '../api/status-error.ts';
import type { EpochMs } from '../api/time.ts';
import { toTime } from '../api/time.ts';
import { GROUP_AUTHENTICATED } from '../api/well-known.ts';
import type { SigningKeys } from '../ports/signing-keys.ts';
import type { User } from './user.ts';
import { ANONYMOUS } from './user.ts';
import type { VerifiedTokens } from './verified-tokens.ts';

/** `aud` of every token. */
export const TOKEN_AUDIENCE = 'rollcall';

/** What a token says of its bearer; nothing of it is to be trusted in form. */
export interface TokenPayload extends JWTPayload {
  readonly groups?: unknown;
  readonly node_uid?: unknown;
}

export interface TokenAuthority {
  readonly signingKeys: SigningKeys;
  /** `iss` of the tokens: tokens of another cluster are foreign. */
  readonly clusterId: string;
  /** Saves checking a signature twice; of this authority alone. */
  readonly verified?: VerifiedTokens<TokenPayload>;
}

export interface TokenClaims {
  readonly name: string;
  readonly groups: readonly string[];
  readonly nodeUid?: string;
  /** Who the token is for; ourselves unless told otherwise. */
  readonly audiences?: readonly string[];
  readonly issuedAt: EpochMs;
  readonly expiresAt: EpochMs;
}

const seconds = (at: EpochMs): number => Math.floor(at / 1000);

/** A signed token. Its times have whole seconds. */
export const issueToken = async (authority: TokenAuthority, claims: TokenClaims): Promise<string> => {
  const { kid, secret } = await authority.signingKeys.current();
  const nodeUid = claims.nodeUid === undefined ? {} : { node_uid: claims.nodeUid };
  return new SignJWT({ groups: [...claims.groups], ...nodeUid })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid })
    .setIssuer(authority.clusterId)
    .setAudience(claims.audiences ? [...claims.audiences] : TOKEN_AUDIENCE)
    .setSubject(claims.name)
    .setIssuedAt(seconds(claims.issuedAt))
    .setExpirationTime(seconds(claims.expiresAt))
    .sign(secret);
};

/** The token of a `Bearer` header; other schemes and an empty token count as none. */
export const bearerTokenOf = (header: string | undefined): string | undefined =>
  /^bearer +(\S+)$/i.exec(header?.trim() ?? '')?.[1];

const REMEDY =
  'get a new one with `npx rollcall token` (a node: POST …/nodes/<name>/token before half of its time is over)';

const unknownKey = (): StatusError =>
  unauthorized(`Unauthorized: the token was signed with a key that this cluster does not have; ${REMEDY}`);

const claimFault = (error: errors.JWTClaimValidationFailed): string =>
  error.claim === 'iss' || error.claim === 'aud'
    ? `the token was made for another cluster or audience (its ${error.claim} is not ours)`
    : `the token's ${error.claim} is missing or wrong`;

const refusal = (error: unknown): StatusError => {
  if (error instanceof errors.JWTExpired)
    return unauthorized(
      `Unauthorized: the token expired at ${toTime((error.payload.exp ?? 0) * 1000)}; ${REMEDY}`,
    );
  if (error instanceof errors.JWTClaimValidationFailed)
    return unauthorized(`Unauthorized: ${claimFault(error)}; ${REMEDY}`);
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return unauthorized(`Unauthorized: the token's signature is wrong; ${REMEDY}`);
  return unauthorized();
};

interface FoundKey {
  readonly kid: string;
  readonly secret: Uint8Array;
}

const findKey = async (signingKeys: SigningKeys, kid: string | undefined): Promise<FoundKey> => {
  const secret = kid === undefined ? undefined : await signingKeys.find(kid);
  if (kid === undefined || !secret) throw unknownKey();
  return { kid, secret };
};

const isOurs = (error: unknown): boolean => error instanceof errors.JOSEError;

const checkToken = async (
  token: string,
  { signingKeys, clusterId, verified }: TokenAuthority,
  now: EpochMs,
): Promise<TokenPayload> => {
  let found: FoundKey | undefined;
  const keyOf = async ({ kid }: { readonly kid?: string }): Promise<Uint8Array> => {
    found = await findKey(signingKeys, kid);
    return found.secret;
  };
  const { payload } = await jwtVerify<TokenPayload>(token, keyOf, {
    algorithms: ['HS256'],
    issuer: clusterId,
    audience: TOKEN_AUDIENCE,
    requiredClaims: ['sub', 'exp'],
    currentDate: new Date(now),
  });
  if (found) verified?.remember(token, { ...found, payload });
  return payload;
};

const verify = async (token: string, authority: TokenAuthority, now: EpochMs): Promise<TokenPayload> => {
  try {
    const known = await authority.verified?.find(token, authority.signingKeys, now);
    return known ?? (await checkToken(token, authority, now));
  } catch (error) {
    // Faults of the token are the caller's; a failing key store is ours and passes.
    throw isOurs(error) ? refusal(error) : error;
  }
};

/**
 * The sender of a request; `system:anonymous` without a bearer token.
 * Throws 401 for a token that is malformed, expired, foreign or signed with an unknown key.
 */
export const authenticate = async (
  authorization: string | undefined,
  authority: TokenAuthority,
  now: EpochMs,
): Promise<User> => {
  const token = bearerTokenOf(authorization);
  if (token === undefined) return ANONYMOUS;
  const payload = await verify(token, authority, now);
  const groups = Array.isArray(payload.groups) ? payload.groups.filter((one) => typeof one === 'string') : [];
  return {
    name: payload.sub ?? '',
    groups: [...groups, GROUP_AUTHENTICATED],
    ...(typeof payload.node_uid === 'string' ? { nodeUid: payload.node_uid } : {}),
  };
};
