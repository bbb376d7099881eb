import { describe, expect, it } from 'vitest';
import { type RequestClaims, tokenVerdict } from '../../../../../agent/rules/server/request-token.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const S = NOW / 1000;
const EXPECTED = { clusterId: 'c', nodeUid: 'u', path: '/exec/ns/p/u/c', query: 'command=ls', now: NOW };
const RIGHT: RequestClaims = {
  iss: 'c',
  aud: 'https://rollcall.dev/nodes/u',
  iat: S,
  exp: S + 60,
  jti: 'id',
  'rollcall.dev/request': { path: '/exec/ns/p/u/c', query: 'command=ls' },
};

describe('a token for a request', () => {
  it('permits it once, until it has expired by any clock', () => {
    expect(tokenVerdict(RIGHT, EXPECTED)).toEqual({ id: 'id', usedUntil: NOW + 90_000 });
  });

  it.each<[string, object]>([
    ['another cluster', { iss: 'd' }],
    ['another node', { aud: 'https://rollcall.dev/nodes/v' }],
    ['several audiences', { aud: ['https://rollcall.dev/nodes/u'] }],
    ['no id', { jti: undefined }],
    ['an empty id', { jti: '' }],
    ['no end', { exp: undefined }],
    ['an end that is no number', { exp: 'never' }],
    ['a long life', { exp: S + 301 }],
    ['an end that is over', { iat: S - 200, exp: S - 31 }],
    ['a beginning that is to come', { iat: S + 31, exp: S + 91 }],
    ['another path', { 'rollcall.dev/request': { path: '/exec/ns/p/u/d', query: 'command=ls' } }],
    ['another query', { 'rollcall.dev/request': { path: '/exec/ns/p/u/c', query: 'command=rm' } }],
    ['no request', { 'rollcall.dev/request': undefined }],
    ['null as its request', { 'rollcall.dev/request': null }],
  ])('is refused with %s', (_, claims) => {
    expect(tokenVerdict({ ...RIGHT, ...claims }, EXPECTED)).toHaveProperty('fault');
  });

  it.each([
    { iat: S - 90, exp: S - 30 },
    { iat: S + 30, exp: S + 60 },
  ])('may be of a clock that is half a minute off: %o', (claims) => {
    expect(tokenVerdict({ ...RIGHT, ...claims }, EXPECTED)).toHaveProperty('id');
  });

  it('says whether another look at the clock may help', () => {
    expect(tokenVerdict({ ...RIGHT, iat: S - 200, exp: S - 140 }, EXPECTED)).toHaveProperty('isTime');
    expect(tokenVerdict({ ...RIGHT, iss: 'd' }, EXPECTED)).not.toHaveProperty('isTime');
  });
});
