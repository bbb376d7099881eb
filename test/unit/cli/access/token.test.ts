import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { parseDuration } from '../../../../cli/shell/duration.ts';
import { parseKeySet } from '../../../../shared/adapters/secrets/key-set.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECRET = Buffer.alloc(32, 7).toString('base64url');
const KEYS = JSON.stringify({ current: 'k1', keys: { k1: SECRET } });
const GENERATED = JSON.stringify({ kid: 'k9', secret: 'x'.repeat(64) });

const run = (line: string, world: Partial<CommandContext> = {}) =>
  runCommandLine(line, { now: () => NOW, env: { AWS_REGION: 'eu-central-1' }, ...world });

const claimsOf = (token: string) => {
  const [header = '', payload = ''] = token.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { ...read(header), ...read(payload) };
};

const withFile = { readFile: async () => KEYS };

describe('rollcall token', () => {
  it.each([
    ['--admin', 'kubernetes-admin', ['system:masters']],
    ['--viewer', 'rollcall-viewer', ['rollcall:viewers']],
    ['--bootstrap', 'rollcall-bootstrapper', ['system:bootstrappers']],
  ])('%s signs for %s', async (flag, sub, groups) => {
    const { code, printed } = await run(`token ${flag} --key-file keys.json --ttl 30m`, withFile);
    expect(code).toBe(0);
    const iat = NOW / 1000;
    expect(claimsOf(printed)).toMatchObject({
      kid: 'k1',
      iss: 'rollcall',
      aud: 'rollcall',
      sub,
      groups,
      iat,
      exp: iat + 1_800,
    });
  });

  it.each([
    ['--node n1 --by-name', 'system:node:n1', ['system:nodes']],
    ['--relay site-a', 'system:relay:site-a', ['rollcall:relays']],
    ['--user ann', 'ann', []],
    ['--user ann --group a --group b', 'ann', ['a', 'b']],
  ])('%s signs a token for that identity', async (flags, sub, groups) => {
    const { code, printed, complaint } = await run(`token ${flags} --key-file keys.json`, withFile);
    expect([code, claimsOf(printed)]).toEqual([0, expect.objectContaining({ sub, groups })]);
    expect(claimsOf(printed)).not.toHaveProperty('node_uid');
    expect(complaint).toMatch(flags.includes('by-name') ? /not bound to one Node/ : /^$/);
  });

  it.each([
    ['--bootstrap', 3_600],
    ['--bootstrap --ttl 7d', 604_800],
    ['--admin', 86_400],
  ])('%s has a lifetime of %i s', async (flags, seconds) => {
    const { exp, iat } = claimsOf((await run(`token ${flags} --key-file keys.json`, withFile)).printed);
    expect(exp - iat).toBe(seconds);
  });

  it.each([
    ['', undefined],
    ['--node n1', { node: 'n1' }],
    ['--uses 3', { uses: 3 }],
    ['--provider-id aws:///a/i-1', { providerId: 'aws:///a/i-1', uses: 1 }],
    ['--node n1 --provider-id x --uses 1', { node: 'n1', providerId: 'x', uses: 1 }],
  ])('--bootstrap %s has the limits %o', async (flags, limits) => {
    const line = `token --bootstrap ${flags} --key-file keys.json`.replaceAll('  ', ' ');
    const { sub, bootstrap, jti } = claimsOf((await run(line, withFile)).printed);
    expect([sub, bootstrap]).toEqual(['rollcall-bootstrapper', limits]);
    expect(typeof jti).toBe(limits ? 'string' : 'undefined');
  });

  it.each([
    ['--admin --uses 3', '--uses needs --bootstrap'],
    ['--node n1 --provider-id x', '--provider-id needs --bootstrap'],
    ['--bootstrap --uses 0', '--uses 0 is no number'],
    ['--bootstrap --uses 1e3', '--uses 1e3 is no number'],
    ['--bootstrap --uses 1000000', '--uses 1000000 is no number'],
    ['--bootstrap --uses=', '--uses  is no number'],
    ['--bootstrap --provider-id x --uses 2', '--provider-id names one machine'],
    ['--bootstrap --node=', 'take one word each'],
    ['--bootstrap --node n1 --by-name', '--by-name needs --node'],
  ])('refuses %s', async (flags, complaint) => {
    const refused = await run(`token ${flags} --key-file keys.json`, withFile);
    expect([refused.code, refused.complaint]).toEqual([2, expect.stringContaining(complaint)]);
  });

  it('--user takes a uid', async () => {
    const { printed } = await run('token --user ann --uid u1 --key-file keys.json', withFile);
    expect(claimsOf(printed)).toMatchObject({ sub: 'ann', uid: 'u1' });
  });

  it.each(['--admin --uid u', '--admin --group g', '--user ann --by-name', '--user ann --admin'])(
    'refuses %s as a mistake in the command line',
    async (flags) => {
      expect((await run(`token ${flags} --key-file keys.json`, withFile)).code).toBe(2);
    },
  );

  it('finds the key by the outputs of the stack, or by ROLLCALL_SECRET_ARN', async () => {
    const asked: string[] = [];
    const readSecret = async (arn: string) => {
      asked.push(arn);
      return GENERATED;
    };
    const stackOutputs = async (stack: string) => ({
      SigningKeySecretArn: `arn:${stack}`,
      TokenIssuer: 'blue',
    });
    expect(
      claimsOf((await run('token --admin --stack Mine', { readSecret, stackOutputs })).printed),
    ).toMatchObject({
      kid: 'k9',
      iss: 'blue',
    });
    await run('token --admin', { readSecret, env: { ROLLCALL_SECRET_ARN: 'arn:env' } });
    expect(asked).toEqual(['arn:Mine', 'arn:env']);
  });

  it("requests a node's token from the API, with an administrator's token that is valid for a minute", async () => {
    const sent: [string, RequestInit | undefined][] = [];
    const answer = { status: { token: 'the-token' } };
    const fetch = async (url: string | URL | Request, init?: RequestInit) => {
      sent.push([url instanceof Request ? url.url : url.toString(), init]);
      return new Response(JSON.stringify(answer), { status: 201 });
    };
    const { printed } = await run('token --node n1 --ttl 1h --server http://api/ --key-file k', {
      ...withFile,
      fetch,
    });
    expect(printed).toBe('the-token');
    const [[url, init] = []] = sent;
    expect(url).toBe('http://api/apis/rollcall.dev/v1/nodes/n1/token');
    expect(init?.body).toBe('{"ttlSeconds":3600}');
    const { authorization = '' } = (init?.headers ?? {}) as { authorization?: string };
    expect(claimsOf(authorization.replace('Bearer ', ''))).toMatchObject({
      sub: 'kubernetes-admin',
      exp: NOW / 1000 + 60,
    });
  });

  it('releases a node, so that its machine may join again', async () => {
    const sent: [string, RequestInit | undefined][] = [];
    const fetch = async (url: string | URL | Request, init?: RequestInit) => {
      sent.push([url instanceof Request ? url.url : url.toString(), init]);
      return new Response('{}', { status: 200 });
    };
    const world = { ...withFile, fetch };
    const { code, printed } = await run('token --release m1 --server http://api/ --key-file k', world);
    expect([code, printed]).toEqual([0, expect.stringMatching(/^m1 is released: /)]);
    const [[url, init] = []] = sent;
    expect([url, init?.method, init?.body]).toEqual([
      'http://api/api/v1/nodes/m1',
      'PATCH',
      '{"metadata":{"annotations":{"rollcall.dev/token-released":"true"}}}',
    ]);
  });

  const answering = (status: number, body: object) => ({
    ...withFile,
    fetch: async () => new Response(JSON.stringify(body), { status }),
  });

  it.each<[string, string, Partial<CommandContext>, number, RegExp]>([
    ['no role', 'token --key-file k', withFile, 2, /give exactly one of --admin/],
    ['two roles', 'token --admin --viewer --key-file k', withFile, 2, /give exactly one of --admin/],
    [
      'an unknown option',
      'token --admin --foo',
      withFile,
      2,
      /there is no option --foo; see rollcall token --help/,
    ],
    [
      'a bad duration',
      'token --admin --ttl 5 --key-file k',
      withFile,
      2,
      /--ttl 5 is not a duration; write it as 90s/,
    ],
    ['no key file', 'token --admin --key-file k', {}, 1, /cannot read the key file k: no such thing/],
    [
      'no stack',
      'token --admin',
      {},
      1,
      /cannot read the CloudFormation stack "Rollcall": no such thing\. Deploy it.*--key-file FILE/,
    ],
    [
      'another stack',
      'token --admin',
      { stackOutputs: async () => ({}) },
      1,
      /has no output SigningKeySecretArn/,
    ],
    [
      'an unreadable secret',
      'token --admin --secret-arn arn:x',
      {},
      1,
      /cannot read the secret arn:x: no such thing.*GetSecretValue/,
    ],
    [
      'a malformed key',
      'token --admin --key-file k',
      { readFile: async () => '{"secret":"hush"}' },
      1,
      /k: the signing keys are not JSON of the right form/,
    ],
    [
      'no API address',
      'token --node n1 --key-file k',
      { ...withFile, stackOutputs: async () => ({}) },
      1,
      /has no output ApiUrl; give the API's address with --server/,
    ],
    [
      'an API that does not answer',
      'token --node n1 --server http://x --key-file k',
      withFile,
      1,
      /the API at http:\/\/x does not answer/,
    ],
    [
      'an unknown node',
      'token --node n1 --server http://x --key-file k',
      answering(404, { message: 'nodes "n1" not found' }),
      1,
      /there is no Node "n1".*Register the Node first/,
    ],
    [
      'the key of another cluster',
      'token --node n1 --server http://x --key-file k',
      answering(401, { message: 'Unauthorized' }),
      1,
      /does not accept the token: .*key that signs the token/,
    ],
    ['an unknown command', 'tokens', {}, 2, /there is no command "tokens"/],
  ])('complains about %s', async (_name, line, world, code, complaint) => {
    const result = await run(line, world);
    expect([result.code, result.printed]).toEqual([code, '']);
    expect(result.complaint).toMatch(complaint);
  });

  it('never repeats a secret in a complaint', async () => {
    const { complaint } = await run('token --admin --key-file k', {
      readFile: async () => '{"secret":"hush"',
    });
    expect(complaint).not.toContain('hush');
  });

  it.each(['--help', 'token --help'])('prints help for %s', async (line) => {
    expect(await run(line)).toMatchObject({ code: 0, printed: expect.stringContaining('Usage: rollcall') });
  });
});

it.each([
  ['90s', 90],
  ['30m', 1_800],
  ['24h', 86_400],
  ['7d', 604_800],
])('reads %s as %i seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

it.each([
  [
    'a key that is too short',
    { current: 'a', keys: { a: 'c2hvcnQ' } },
    /the key "a" has fewer than 32 bytes/,
  ],
  ['a current key that is missing', { current: 'b', keys: { a: SECRET } }, /"current" names the key "b"/],
])('refuses %s', (_name, value, message) => {
  expect(() => parseKeySet(JSON.stringify(value), 'here')).toThrow(message);
});
