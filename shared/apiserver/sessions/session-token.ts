/** Tokens for one request to a node's server: JWT, Ed25519. Each secret has a key pair for them, whose public half is shown. */
import { createPublicKey, sign } from 'node:crypto';
import type { EpochMs } from '../../kube/values/time.ts';
import type { SigningKey, SigningKeys } from '../../ports/outside/signing-keys.ts';
import type { NodeTarget } from '../../rules/streams/node-request.ts';
import { privateKeyOf } from '../access/key-pairs.ts';

/** Seconds for which the token can be used once. A stream that it began goes on. */
const LIFE_SECONDS = 60;
const ID_SUFFIX = '-sessions';
const PURPOSE = 'rollcall node sessions';

/** Who may send which request to whom. */
export interface SessionClaims {
  readonly target: NodeTarget;
  readonly user: string;
  readonly nodeUid: string;
  readonly id: string;
  readonly issuedAt: EpochMs;
}

/** Signs a token for one request to the server of one Node. */
export const issueSessionToken = async (
  authority: { readonly signingKeys: Pick<SigningKeys, 'current'>; readonly clusterId: string },
  { target: { path, query }, user, nodeUid, id, issuedAt }: SessionClaims,
): Promise<string> => {
  const key = await authority.signingKeys.current();
  const seconds = Math.floor(issuedAt / 1000);
  const header = { alg: 'EdDSA', typ: 'JWT', kid: `${key.kid}${ID_SUFFIX}` };
  const claims = {
    iss: authority.clusterId,
    aud: `https://rollcall.dev/nodes/${nodeUid}`,
    sub: user,
    jti: id,
    iat: seconds,
    exp: seconds + LIFE_SECONDS,
    'rollcall.dev/request': { path, query },
  };
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${sign(null, Buffer.from(signed), privateKeyOf(key.secret, PURPOSE)).toString('base64url')}`;
};

const jwkOf = (key: SigningKey): object => ({
  ...createPublicKey(privateKeyOf(key.secret, PURPOSE)).export({ format: 'jwk' }),
  kid: `${key.kid}${ID_SUFFIX}`,
  use: 'sig',
  alg: 'EdDSA',
});

/** The public keys of session tokens: of the key that signs and, if it is a valid one, of that with the id `asked`. */
export const sessionKeySet = async (
  signingKeys: SigningKeys,
  asked: string | null,
): Promise<{ readonly keys: readonly object[] }> => {
  const current = await signingKeys.current();
  const kid = asked?.endsWith(ID_SUFFIX) ? asked.slice(0, -ID_SUFFIX.length) : undefined;
  const secret = kid === undefined || kid === current.kid ? undefined : await signingKeys.find(kid);
  return { keys: [current, ...(kid !== undefined && secret ? [{ kid, secret }] : [])].map(jwkOf) };
};
