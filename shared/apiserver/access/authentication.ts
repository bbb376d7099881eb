/** Bearer tokens: JWT, Ed25519, with the key's id in the header. Those of earlier versions have HS256, and are accepted until they expire. */
import type { KeyObject } from 'node:crypto';
import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose';
import type { User } from '../../kinds/contract/user.ts';
import { ANONYMOUS } from '../../kinds/contract/user.ts';
import type { StatusError } from '../../kube/errors/status-error.ts';
import { unauthorized } from '../../kube/errors/status-error.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import type { PublicKey, SigningKeys, VerifyingKeys } from '../../ports/outside/signing-keys.ts';
import { malformedClaim, type TokenPayload, userOf } from '../contract/token-user.ts';
import type { VerifiedTokens } from '../contract/verified-tokens.ts';
import { tokenSigner, tokenVerifier } from './key-pairs.ts';
import type { KeyUseRecorder } from './key-use-recorder.ts';

/** `aud` of every token for this API. */
export const TOKEN_AUDIENCE = 'rollcall';
/**
 * Longest token (characters) that is read; longer ones are refused unread. Ours have fewer than 1,000 characters,
 * those of cloud plugins up to 4,096.
 */
const MAX_TOKEN_LENGTH = 8192;
const [ALGORITHM, OLD_ALGORITHM] = ['EdDSA', 'HS256'];

/** What tokens are verified with. */
export interface TokenAuthority {
  readonly signingKeys: VerifyingKeys;
  /** `iss` of the tokens: a token with another issuer is refused. */
  readonly clusterId: string;
  /** Cache of verified signatures. It must not be shared with another authority. */
  readonly verified?: VerifiedTokens<TokenPayload>;
  /** Called for every token that is accepted. */
  readonly recordUse?: KeyUseRecorder;
}

/** What tokens are signed with. */
export interface SigningAuthority {
  readonly signingKeys: Pick<SigningKeys, 'current'>;
  /** `iss` of the tokens. */
  readonly clusterId: string;
}

/** The claims of a token that is to be issued. */
export interface TokenClaims {
  readonly name: string;
  readonly groups: readonly string[];
  /** uid of the user, if it has one. */
  readonly uid?: string;
  readonly nodeUid?: string;
  /** Id of the token (`jti`). */
  readonly id?: string;
  /** Limits of a bootstrap token, see `BootstrapLimits`; it needs an id. */
  readonly limits?: object;
  /**
   * Only in a service account's token: the claim `kubernetes.io`, with the account and the objects that the token
   * is bound to.
   */
  readonly bound?: object;
  /** `aud` of the token; without it, this API. */
  readonly audiences?: readonly string[];
  readonly issuedAt: EpochMs;
  readonly expiresAt: EpochMs;
}

const seconds = (at: EpochMs): number => Math.floor(at / 1000);

/** Signs a token. Its times are rounded to whole seconds. */
export const issueToken = async (authority: SigningAuthority, claims: TokenClaims): Promise<string> => {
  const { kid, secret } = await authority.signingKeys.current();
  const { uid, nodeUid, id, bound, limits } = claims;
  return new SignJWT({
    groups: [...claims.groups],
    ...optional('uid', uid),
    ...optional('node_uid', nodeUid),
    ...optional('jti', id),
    ...optional('kubernetes.io', bound),
    ...optional('bootstrap', limits),
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid })
    .setIssuer(authority.clusterId)
    .setAudience(claims.audiences ? [...claims.audiences] : TOKEN_AUDIENCE)
    .setSubject(claims.name)
    .setIssuedAt(seconds(claims.issuedAt))
    .setExpirationTime(seconds(claims.expiresAt))
    .sign(tokenSigner(secret));
};

/** The token of a `Bearer` header: its second word. `undefined` for other schemes and for an empty token. */
export const bearerTokenOf = (header: string | undefined): string | undefined => {
  const [scheme = '', token = ''] = (header ?? '').trim().split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
};

const REMEDY =
  'get a new one with `npx rollcall token` (a node: POST …/nodes/<name>/token before half of its time is over)';

const wrongClaim = (claim: string): string => `the token's ${claim} is missing or wrong`;

const unknownKey = (): StatusError =>
  unauthorized(`Unauthorized: the token was signed with a key that this cluster does not have; ${REMEDY}`);

const claimFault = (error: errors.JWTClaimValidationFailed): string =>
  error.claim === 'iss' || error.claim === 'aud'
    ? `the token was made for another cluster or audience (its ${error.claim} is not ours)`
    : wrongClaim(error.claim);

const malformedToken = (claim: string): StatusError =>
  unauthorized(`Unauthorized: ${wrongClaim(claim)}; ${REMEDY}`);

const refusal = (error: unknown): StatusError => {
  const malformed = error instanceof errors.JWTExpired ? malformedClaim(error.payload) : undefined;
  if (malformed !== undefined) return malformedToken(malformed);
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
  readonly key: Uint8Array | PublicKey;
}

const findKey = async (signingKeys: VerifyingKeys, kid: string | undefined): Promise<FoundKey> => {
  const key = kid === undefined ? undefined : await signingKeys.find(kid);
  if (kid === undefined || !key) throw unknownKey();
  return { kid, key };
};

/** A key has one verifier for each algorithm, so that no token can have a public key taken for a secret. Who has only the public half verifies no old token. */
const verifierOf = ({ key }: FoundKey, algorithm: string | undefined): KeyObject | Uint8Array => {
  if (algorithm === ALGORITHM) return tokenVerifier(key);
  if (algorithm === OLD_ALGORITHM && key instanceof Uint8Array) return key;
  throw unknownKey();
};

// The library also accepts blanks, padding, the other base64 alphabet and stray trailing bits, so one token would
// have many spellings.
const isCanonical = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

const isOurs = (error: unknown): boolean => error instanceof errors.JOSEError;

interface AcceptedToken {
  readonly kid: string;
  readonly payload: TokenPayload;
}

const checkToken = async (
  token: string,
  { signingKeys, clusterId, verified }: TokenAuthority,
  now: EpochMs,
  audiences: readonly string[],
): Promise<AcceptedToken> => {
  if (token.length > MAX_TOKEN_LENGTH || !isCanonical(token)) throw unauthorized();
  let found: FoundKey | undefined;
  const keyOf = async ({ kid, alg }: JWTHeaderParameters): Promise<KeyObject | Uint8Array> => {
    found = await findKey(signingKeys, kid);
    return verifierOf(found, alg);
  };
  // The algorithm is checked before the key is looked up.
  const { payload } = await jwtVerify<TokenPayload>(token, keyOf, {
    algorithms: [ALGORITHM, OLD_ALGORITHM],
    issuer: clusterId,
    audience: [...audiences],
    requiredClaims: ['sub', 'exp'],
    currentDate: new Date(now),
  });
  const malformed = malformedClaim(payload);
  if (malformed !== undefined) throw malformedToken(malformed);
  if (!found) throw unauthorized();
  verified?.remember(token, { ...found, payload });
  return { kid: found.kid, payload };
};

/** A verified token: the user and the audiences that it names. */
export interface TokenReading {
  readonly user: User;
  readonly audiences: readonly string[];
  readonly expiresAt: EpochMs;
}

const readingOf = (payload: TokenPayload): TokenReading => ({
  user: userOf(payload),
  expiresAt: (payload.exp ?? 0) * 1000,
  audiences: typeof payload.aud === 'string' ? [payload.aud] : (payload.aud ?? []),
});

const noteUse = async (
  { kid, payload: { sub: user = '', exp = 0 } }: AcceptedToken,
  { recordUse }: TokenAuthority,
  now: EpochMs,
): Promise<void> => recordUse?.({ kid, user, lastUsedAt: now, expiresAt: exp * 1000 });

/** Whether a token is in the cache of verified tokens and still valid. Its use is recorded. */
export const isStillVerified = async (
  token: string,
  authority: TokenAuthority,
  now: EpochMs,
): Promise<boolean> => {
  const known = await authority.verified?.find(token, authority.signingKeys, now);
  if (known) await noteUse(known, authority, now);
  return known !== undefined;
};

/**
 * Verifies a token for any of `audiences`. Throws 401 for a token that is malformed, expired, of another issuer
 * or signed with an unknown key. The cost of a bad token is bounded: by its length, one signature, and the limit on
 * key reads of `SigningKeys`. `authority.verified` must only hold tokens that were verified for the same
 * audiences.
 */
export const readToken = async (
  token: string,
  authority: TokenAuthority,
  now: EpochMs,
  audiences: readonly string[] = [TOKEN_AUDIENCE],
): Promise<TokenReading> => {
  try {
    const known = await authority.verified?.find(token, authority.signingKeys, now);
    const accepted = known ?? (await checkToken(token, authority, now, audiences));
    await noteUse(accepted, authority, now);
    return readingOf(accepted.payload);
  } catch (error) {
    // A faulty token is the client's error (401); a failing key store is ours and is thrown as it is.
    throw isOurs(error) ? refusal(error) : error;
  }
};

/** Whether authenticating the request takes a signature check: its token is not in the cache of verified tokens. */
export const isUnverified = (authorization: string | undefined, { verified }: TokenAuthority): boolean => {
  const token = bearerTokenOf(authorization);
  return token !== undefined && !verified?.peek(token);
};

/** The sender of a request; `system:anonymous` without a bearer token. Throws 401 for a bad one. */
export const authenticate = async (
  authorization: string | undefined,
  authority: TokenAuthority,
  now: EpochMs,
): Promise<User> => {
  const token = bearerTokenOf(authorization);
  return token === undefined ? ANONYMOUS : (await readToken(token, authority, now)).user;
};
