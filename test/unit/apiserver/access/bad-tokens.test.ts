import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  authenticate,
  bearerTokenOf,
  issueToken,
} from '../../../../shared/apiserver/access/authentication.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECRET = new Uint8Array(32).fill(1);

const anAuthority = () => {
  const asked: string[] = [];
  const signingKeys = {
    current: async () => ({ kid: 'k1', secret: SECRET }),
    find: async (kid: string) => {
      asked.push(kid);
      return kid === 'k1' ? SECRET : undefined;
    },
  };
  return { asked, authority: { signingKeys, clusterId: 'rollcall' } };
};

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const seconds = NOW / 1000;
const CLAIMS = { sub: 'ann', iss: 'rollcall', aud: 'rollcall', iat: seconds, exp: seconds + 60 };

/** Signed with the right key, however wrong the rest is. */
const signed = (header: object, claims: object, secret: Uint8Array = SECRET): string => {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

const HEADER = { alg: 'HS256', typ: 'JWT', kid: 'k1' };
const GOOD = signed(HEADER, CLAIMS);
const otherAlphabet = (part: string): string =>
  part.replaceAll('-', '+').replaceAll('_', '/').replace(/^\w/, '/');
/** The same bytes in another spelling: the last letter of 32 bytes has two bits to spare. */
const withStrayBits = (token: string): string => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${token.slice(0, -1)}${letters[letters.indexOf(token.slice(-1)) + 1]}`;
};
const a = (what: string, claims: object): readonly [string, string] => [
  `a ${what} of a wrong kind (${JSON.stringify(claims)})`,
  signed(HEADER, { ...CLAIMS, ...claims }),
];
const refusalOf = async (token: string) => {
  const { asked, authority } = anAuthority();
  const refused = authenticate(`Bearer ${token}`, authority, NOW);
  await expect(refused).rejects.toMatchObject({ code: 401, reason: 'Unauthorized' });
  return asked;
};

describe('a bad token is 401', () => {
  it.each([
    ['garbage', 'garbage'],
    ['three empty parts', '..'],
    ['no JSON', 'a.b.c'],
    ['alg none', `${encoded({ alg: 'none' })}.${encoded(CLAIMS)}.`],
    ['alg none with a kid', `${encoded({ alg: 'none', kid: 'k1' })}.${encoded(CLAIMS)}.x`],
    ['another HMAC', signed({ ...HEADER, alg: 'HS512' }, CLAIMS)],
    ['a public key algorithm', signed({ ...HEADER, alg: 'RS256' }, CLAIMS)],
    ['an oversized one', signed(HEADER, { ...CLAIMS, padding: 'x'.repeat(10_000) })],
    ['no kid', signed({ alg: 'HS256' }, CLAIMS)],
    ['a signature with padding', `${signed(HEADER, CLAIMS)}=`],
    ['a signature with a tab in it', `${GOOD.slice(0, -5)}\t${GOOD.slice(-5)}`],
    ['a signature in the other alphabet', `${GOOD.slice(0, -43)}${otherAlphabet(GOOD.slice(-43))}`],
    ['a signature with stray bits at its end', withStrayBits(GOOD)],
    ['a signature with a letter that is none', `${GOOD}*`],
    ['a fourth part', `${GOOD}.`],
  ])('%s, without a read of its key', async (_, token) => {
    expect(await refusalOf(token)).toEqual([]);
  });

  it.each<readonly [string, string]>([
    ['an unknown key', signed({ ...HEADER, kid: 'k9' }, CLAIMS)],
    ['a forged signature', signed(HEADER, CLAIMS, new Uint8Array(32))],
    ['an expired one', signed(HEADER, { ...CLAIMS, exp: seconds - 1 })],
    ['one without an end', signed(HEADER, { ...CLAIMS, exp: undefined })],
    ['one that is not valid yet', signed(HEADER, { ...CLAIMS, nbf: seconds + 10 })],
    ['another issuer', signed(HEADER, { ...CLAIMS, iss: 'other' })],
    ['another audience', signed(HEADER, { ...CLAIMS, aud: 'vault' })],
    ['nobody', signed(HEADER, { ...CLAIMS, sub: undefined })],
    ['an empty name', signed(HEADER, { ...CLAIMS, sub: '' })],
    ...[1, null, ['ann'], { name: 'ann' }].map((sub) => a('name', { sub })),
    ...[['rollcall'], 1, null].map((iss) => a('issuer', { iss })),
    ...[[], ['rollcall', 1], { rollcall: true }, null].map((aud) => a('audience', { aud })),
    ...['a', ['a', 1], [['a']], { a: 'a' }, null].map((groups) => a('list of groups', { groups })),
    ...[String(seconds + 60), null, 1e308, -1e308, seconds * 1000].map((exp) => a('end', { exp })),
    ...[String(seconds), null, -1, [seconds]].map((nbf) => a('beginning', { nbf })),
    ...['now', null, -1, 1e308].map((iat) => a('time of issue', { iat })),
    ...[1, null, ['u1']].map((uid) => a('uid', { uid })),
    ...[1, null, ['u1']].map((uid) => a('uid of a node', { node_uid: uid })),
    ...[1, null].map((jti) => a('id', { jti })),
    ...['x', null, []].map((bound) => a('binding', { 'kubernetes.io': bound })),
  ])('%s, after one read of its key', async (_, token) => {
    expect(await refusalOf(token)).toHaveLength(1);
  });
});

it.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['Bearer abc def', 'abc'],
  ['Bearer  abc', undefined],
  ['Bearer ', undefined],
  ['Basic abc', undefined],
  ['Token abc', undefined],
  [undefined, undefined],
])('the header %s has the token %s', (header, token) => {
  expect(bearerTokenOf(header)).toBe(token);
});

describe('the user of a token', () => {
  const userOf = async (claims: object) =>
    authenticate(`Bearer ${signed(HEADER, { ...CLAIMS, ...claims })}`, anAuthority().authority, NOW);

  it('of a service account is in the groups of its namespace, and bound to its pod', async () => {
    const bound = { serviceaccount: { name: 'builder', uid: 'u1' }, pod: { name: 'p', uid: 'u2' } };
    expect(
      await userOf({ sub: 'system:serviceaccount:default:builder', jti: 'j', 'kubernetes.io': bound }),
    ).toEqual({
      name: 'system:serviceaccount:default:builder',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': ['JTI=j'],
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': ['u2'],
      },
      boundTo: [
        { kind: 'service account', namespace: 'default', name: 'builder', uid: 'u1' },
        { kind: 'pod', namespace: 'default', name: 'p', uid: 'u2' },
      ],
    });
  });

  it('has the groups of its token', async () => {
    expect((await userOf({ groups: ['a', 'b'] })).groups).toEqual(['a', 'b', 'system:authenticated']);
    expect((await userOf({})).groups).toEqual(['system:authenticated']);
  });

  it('has the uid of its token', async () => {
    expect((await userOf({ uid: 'u1' })).uid).toBe('u1');
    expect(await userOf({})).not.toHaveProperty('uid');
  });

  it('may be for several audiences', async () => {
    expect((await userOf({ aud: ['vault', 'rollcall'] })).name).toBe('ann');
  });

  it('is the one for which the token was issued', async () => {
    const { authority } = anAuthority();
    const claims = { name: 'ann', groups: ['g'], issuedAt: NOW, expiresAt: NOW + 1_000 };
    const header = `Bearer ${await issueToken(authority, claims)}`;
    expect(await authenticate(header, authority, NOW)).toEqual({
      name: 'ann',
      groups: ['g', 'system:authenticated'],
    });
  });
});
