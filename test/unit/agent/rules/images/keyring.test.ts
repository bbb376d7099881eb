import { describe, expect, it } from 'vitest';
import { type PullSecret, readPullSecrets } from '../../../../../agent/rules/images/credentials.ts';
import { credentialsFor } from '../../../../../agent/rules/images/keyring.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const dockerSecret = (auths: unknown, name = 's'): PullSecret => ({
  metadata: { name },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': base64(JSON.stringify({ auths })) },
});

describe('J-171: credentials come from the Secrets of the pod', () => {
  const user = { location: 'reg.io', username: 'u', password: 'p' };

  it.each<[string, PullSecret, readonly unknown[]]>([
    ['user and password', dockerSecret({ 'reg.io': { username: 'u', password: 'p' } }), [user]],
    ['auth', dockerSecret({ 'reg.io': { auth: base64('u:p') } }), [user]],
    ['auth without padding', dockerSecret({ 'reg.io': { auth: base64('u:p').replaceAll('=', '') } }), [user]],
    ['auth before the two', dockerSecret({ 'reg.io': { username: 'x', auth: base64('u:p') } }), [user]],
    [
      'a password with a colon',
      dockerSecret({ 'reg.io': { auth: base64('u:p:q') } }),
      [{ ...user, password: 'p:q' }],
    ],
    [
      'the older form',
      {
        metadata: { name: 's' },
        type: 'kubernetes.io/dockercfg',
        data: { '.dockercfg': base64(JSON.stringify({ 'reg.io': { username: 'u', password: 'p' } })) },
      },
      [user],
    ],
    ['no registries', dockerSecret(undefined), []],
    ['another type', { ...dockerSecret({ 'reg.io': { username: 'u' } }), type: 'Opaque' }, []],
    ['another key', { ...dockerSecret({}), data: { other: 'eA==' } }, []],
  ])('%s', (_name, secret, entries) => {
    expect(readPullSecrets([secret])).toEqual({ entries });
  });

  it.each<[string, PullSecret]>([
    ['is no JSON', { ...dockerSecret({}), data: { '.dockerconfigjson': base64('hunter2{') } }],
    ['has auth that is no base64', dockerSecret({ 'reg.io': { auth: 'hunter2!' } })],
    ['has auth without a colon', dockerSecret({ 'reg.io': { auth: base64('hunter2') } })],
    ['has a text for a registry', dockerSecret({ 'reg.io': 'hunter2' })],
    ['has a list of registries', dockerSecret(['hunter2'])],
  ])('a Secret that %s is named, and nothing of it is told', (_name, secret) => {
    expect(readPullSecrets([dockerSecret({}), { ...secret, metadata: { name: 'mine' } }])).toEqual({
      fault:
        'the image pull secret "mine" has no credentials that can be read in its key ".dockerconfigjson"',
    });
  });
});

describe('J-172: which credentials are tried for an image, in which order', () => {
  const entry = (location: string) => ({ location, username: location, password: 'p' });

  it.each<[string, readonly string[], string, readonly string[]]>([
    ['the host', ['reg.io', 'other.io'], 'reg.io/app', ['reg.io']],
    ['a host with scheme and slash', ['https://reg.io/'], 'reg.io/app', ['https://reg.io/']],
    ['the end point v1', ['https://reg.io/v1/'], 'reg.io/app', ['https://reg.io/v1/']],
    ['the end point v2', ['reg.io/v2/'], 'reg.io/app', ['reg.io/v2/']],
    ['the end point v2 of a part', ['reg.io/v2/team'], 'reg.io/team/app', ['reg.io/v2/team']],
    ['the most specific first', ['reg.io', 'reg.io/team'], 'reg.io/team/app', ['reg.io/team', 'reg.io']],
    ['another part', ['reg.io/team'], 'reg.io/others/app', []],
    ['the same port', ['reg.io:5000'], 'reg.io:5000/app', ['reg.io:5000']],
    ['another port', ['reg.io:5000'], 'reg.io:5001/app', []],
    ['no port', ['reg.io'], 'reg.io:5000/app', []],
    ['any host of a domain', ['*.reg.io'], 'eu.reg.io/app', ['*.reg.io']],
    ['the domain is none of its hosts', ['*.reg.io'], 'reg.io/app', []],
    ['one part of a host', ['*.io'], 'eu.reg.io/app', []],
    ['a prefix', ['eu*.reg.io'], 'eu-1.reg.io/app', ['eu*.reg.io']],
    ['one character', ['eu-?.reg.io'], 'eu-1.reg.io/app', ['eu-?.reg.io']],
    ['a class', ['eu-[12].reg.io'], 'eu-3.reg.io/app', []],
    ['a pattern that is none', ['eu-[.reg.io'], 'eu-1.reg.io/app', []],
    ['a star in another part', ['reg.*'], 'reg.io/app', ['reg.*']],
    ['a dot is a dot', ['reg.io'], 'regxio/app', []],
    [
      'the default registry',
      ['https://index.docker.io/v1/'],
      'docker.io/library/nginx',
      ['https://index.docker.io/v1/'],
    ],
    ['its other name', ['docker.io'], 'docker.io/library/nginx', ['docker.io']],
    ['what is not on it', ['https://index.docker.io/v1/'], 'reg.io/nginx', []],
    ['none', [], 'docker.io/library/nginx', []],
  ])('%s', (_name, locations, repository, expected) => {
    const found = credentialsFor(locations.map(entry), repository);
    expect(found.map(({ username }) => username)).toEqual(expected);
  });

  it('those of one place in the order of the Secrets, the same once', () => {
    const entries = ['b', 'a', 'b'].map((username) => ({ location: 'reg.io', username, password: 'p' }));
    expect(credentialsFor(entries, 'reg.io/app')).toEqual([
      { username: 'b', password: 'p' },
      { username: 'a', password: 'p' },
    ]);
  });
});

it('J-171: a place with many stars is compared piece by piece, and does not hold up the agent', () => {
  const entry = (location: string) => ({ location, username: 'u', password: 'p' });
  const host = `${'a'.repeat(200)}b.io`;
  expect(credentialsFor([entry(`${'*a'.repeat(60)}c.io`)], `${host}/x`)).toEqual([]);
  expect(credentialsFor([entry(`${'*a'.repeat(60)}*b.io`)], `${host}/x`)).toHaveLength(1);
  expect(credentialsFor([entry('a*a.io')], 'a.io/x')).toEqual([]);
  expect(credentialsFor([entry('a*[ab].io')], 'aab.io/x')).toHaveLength(1);
});
