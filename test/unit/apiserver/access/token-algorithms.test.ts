import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { issueToken, readToken } from '../../../../shared/apiserver/access/authentication.ts';
import {
  privateKeyOf,
  publicKeySetOf,
  tokenVerifier,
} from '../../../../shared/apiserver/access/key-pairs.ts';
import {
  createTestApi,
  heartbeatPath,
  NODES,
  nodeBody,
  START,
  tokenPath,
} from '../../../support/servers/api.ts';

const SECRET = new Uint8Array(32).fill(1);
const KEY = { kid: 'k1', secret: SECRET };
const [SECOND, HOUR_MS] = [START / 1000, 3_600_000];
const CLAIMS = { sub: 'ann', iss: 'test', aud: 'rollcall', iat: SECOND, exp: SECOND + 60 };

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const textOf = (alg: string, claims: object): string =>
  `${encoded({ alg, typ: 'JWT', kid: 'k1' })}.${encoded(claims)}`;
const withSignature = (text: string, signature: Buffer): string =>
  `${text}.${signature.toString('base64url')}`;

/** As tokens were signed before. */
const oldToken = (claims: object, secret: Uint8Array | string = SECRET): string => {
  const text = textOf('HS256', claims);
  return withSignature(text, createHmac('sha256', secret).update(text).digest());
};

const publicKey = tokenVerifier(SECRET);
const { keys } = publicKeySetOf({ current: KEY, secrets: new Map([['k1', SECRET]]) });
const published = { x: keys['k1'] ?? '' };

/** Who may sign, and who only verifies. */
const authorities = {
  'the API': { signingKeys: { current: async () => KEY, find: async () => SECRET }, clusterId: 'test' },
  'who has the public keys': {
    signingKeys: { current: async () => ({ kid: 'k1' }), find: async () => published },
    clusterId: 'test',
  },
};
const [API, VERIFIER] = [authorities['the API'], authorities['who has the public keys']];

const signedBy = (key: ReturnType<typeof privateKeyOf>): string => {
  const text = textOf('EdDSA', CLAIMS);
  return withSignature(text, sign(null, Buffer.from(text), key));
};

describe('a token', () => {
  const claims = { name: 'ann', groups: [], issuedAt: START, expiresAt: START + HOUR_MS };

  it('is signed with Ed25519', async () => {
    const [header = ''] = (await issueToken(API, claims)).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'EdDSA',
      typ: 'JWT',
      kid: 'k1',
    });
  });

  it.each(Object.entries(authorities))('is accepted by %s', async (_, authority) => {
    const token = await issueToken(API, claims);
    expect((await readToken(token, authority, START)).user.name).toBe('ann');
  });

  it('of an earlier version is accepted by the API, and refused by who has the public keys', async () => {
    expect((await readToken(oldToken(CLAIMS), API, START)).user.name).toBe('ann');
    await expect(readToken(oldToken(CLAIMS), VERIFIER, START)).rejects.toMatchObject({ code: 401 });
  });
});

describe.each(Object.entries(authorities))(
  '%s takes no public key for a secret, and no other key for this one',
  (_, authority) => {
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const raw = Buffer.from(published.x, 'base64url');
    const hmac = createHmac('sha256', SECRET).update(textOf('EdDSA', CLAIMS)).digest();
    const seeded = createPrivateKey({
      key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), SECRET]),
      format: 'der',
      type: 'pkcs8',
    });

    it.each([
      ['HS256 by the 32 bytes of the public key', oldToken(CLAIMS, raw)],
      ['HS256 by the published text', oldToken(CLAIMS, published.x)],
      ['HS256 by the PEM of the public key', oldToken(CLAIMS, pem)],
      ['HS256 by its DER', oldToken(CLAIMS, publicKey.export({ type: 'spki', format: 'der' }))],
      ['EdDSA in name only', withSignature(textOf('EdDSA', CLAIMS), hmac)],
      ['EdDSA by the secret itself', signedBy(seeded)],
      ['EdDSA by the key for sessions', signedBy(privateKeyOf(SECRET, 'rollcall node sessions'))],
      ['no algorithm', `${textOf('none', CLAIMS)}.`],
    ])('%s', async (_name, token) => {
      await expect(readToken(token, authority, START)).rejects.toMatchObject({ code: 401 });
    });
  },
);

it('the key that verifies is the public half', () => {
  expect(tokenVerifier(published).equals(createPublicKey(privateKeyOf(SECRET, 'rollcall tokens')))).toBe(
    true,
  );
});

it('a node with a token of an earlier version beats, and renews itself', async () => {
  const api = createTestApi();
  const { json: node } = await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
  const nodeClaims = {
    ...CLAIMS,
    sub: 'system:node:n1',
    groups: ['system:nodes'],
    node_uid: node.metadata.uid,
  };
  const token = oldToken(nodeClaims);
  expect((await api.send('POST', heartbeatPath('n1'), { token })).code).toBe(200);
  const renewed = await api.send('POST', tokenPath('n1'), { token });
  expect(renewed.code).toBe(201);
  const fresh: string = renewed.json.status.token;
  expect(fresh.startsWith(encoded({ alg: 'EdDSA', typ: 'JWT', kid: 'k1' }))).toBe(true);
  expect((await api.sendHeartbeat('POST', heartbeatPath('n1'), { token: fresh })).code).toBe(200);
});
