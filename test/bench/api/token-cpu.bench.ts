/** What it costs to sign and to verify tokens: with a shared secret, and with key pairs. */
import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import { TOKEN_AUDIENCE } from '../../../shared/apiserver/access/authentication.ts';
import type { Bench } from '../figures/figures.ts';
import { type Call, figuresOf } from './cpu-figures.ts';
import { CLUSTER_ID } from './servers.ts';

const TIMES = { batches: 100, calls: 50 };

interface Pair {
  readonly signer: KeyObject | Uint8Array;
  readonly verifier: KeyObject | Uint8Array;
}

const SECRET = new Uint8Array(32).fill(7);
const pairOf = ({ privateKey, publicKey }: Record<'privateKey' | 'publicKey', KeyObject>): Pair => ({
  signer: privateKey,
  verifier: publicKey,
});
const ED25519 = generateKeyPairSync('ed25519');
const P256 = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const PAIRS: Readonly<Record<string, Pair>> = {
  HS256: { signer: SECRET, verifier: SECRET },
  EdDSA: pairOf(ED25519),
  ES256: pairOf(P256),
};

/** As long as a token of a node. */
const signed = (alg: string, { signer }: Pair): Promise<string> =>
  new SignJWT({ groups: ['system:nodes'], node_uid: '00000000-0000-4000-8000-000000000001' })
    .setProtectedHeader({ alg, typ: 'JWT', kid: 'k1' })
    .setIssuer(CLUSTER_ID)
    .setAudience(TOKEN_AUDIENCE)
    .setSubject('system:node:ip-10-0-0-1.eu-west-1.internal')
    .setIssuedAt()
    .setExpirationTime('1d')
    .sign(signer);

const verified = (token: string, alg: string, { verifier }: Pair): Call => {
  const options: JWTVerifyOptions = { algorithms: [alg], issuer: CLUSTER_ID, audience: TOKEN_AUDIENCE };
  return () => jwtVerify(token, async () => verifier, options);
};

/** The signature alone, without promises: what a verification can cost at least. */
const plainly = (token: string, algorithm: string | null, key: Parameters<typeof verify>[2]): Call => {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const [text, bytes] = [Buffer.from(`${head}.${claims}`), Buffer.from(signature, 'base64url')];
  return async () => verify(algorithm, text, key, bytes);
};

export const tokenCpu: Bench = async () => {
  const calls: Record<string, Call> = {};
  for (const [alg, pair] of Object.entries(PAIRS)) {
    const token = await signed(alg, pair);
    calls[`verify ${alg}`] = verified(token, alg, pair);
    calls[`sign ${alg}`] = () => signed(alg, pair);
    if (alg === 'EdDSA') calls['verify EdDSA, node:crypto alone'] = plainly(token, null, ED25519.publicKey);
    const es256 = { key: P256.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    if (alg === 'ES256') calls['verify ES256, node:crypto alone'] = plainly(token, 'sha256', es256);
  }
  return figuresOf(calls, TIMES);
};
