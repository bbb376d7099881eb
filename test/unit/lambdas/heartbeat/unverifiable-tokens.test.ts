import { describe, expect, it } from 'vitest';
import { withUnverifiableTokens } from '../../../../lambdas/heartbeat/unverifiable-tokens.ts';
import type { HttpRequest } from '../../../../shared/apiserver/contract/http.ts';

const header = (alg: string): string =>
  Buffer.from(JSON.stringify({ alg, typ: 'JWT', kid: 'k1' })).toString('base64url');
const [OLD, NEW] = [`${header('HS256')}.c.s`, `${header('EdDSA')}.c.s`];
const BATCH = '/apis/rollcall.dev/v1/heartbeats';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1';

const request = (given: Partial<HttpRequest> & { readonly token: string }): HttpRequest => {
  const { token, headers, ...rest } = given;
  return {
    method: 'PUT',
    path: LEASE,
    query: new URLSearchParams('timeout=5s'),
    body: Buffer.from('{}'),
    ...rest,
    headers: { authorization: `Bearer ${token}`, host: 'beats.example', ...headers },
  };
};

const world = (
  answer: () => Promise<Response> = async () => new Response('{"of":"the API"}', { status: 201 }),
  current: () => Promise<{ readonly kid: string }> = async () => ({ kid: 'k1' }),
) => {
  const asked: Request[] = [];
  const serve = withUnverifiableTokens(async () => ({ status: 200, headers: {}, body: 'here' }), {
    apiUrl: 'https://api.example/',
    signingKeys: { current },
    fetch: async (url, init) => {
      asked.push(new Request(url, init));
      return answer();
    },
  });
  return { asked, serve };
};

describe('a request with an old token', () => {
  it('is answered by the API, to which it goes as it came', async () => {
    const { asked, serve } = world();
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' };
    const answer = await serve(request({ token: OLD, headers }));
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([201, '{"of":"the API"}']);
    const [sent] = asked;
    expect([sent?.method, sent?.url, await sent?.text()]).toEqual([
      'PUT',
      `https://api.example${LEASE}?timeout=5s`,
      '{}',
    ]);
    expect(Object.fromEntries(sent?.headers ?? [])).toEqual({
      authorization: `Bearer ${OLD}`,
      'content-type': 'application/json',
    });
  });

  it('goes to no other server, whatever its path is', async () => {
    const { asked, serve } = world();
    for (const path of ['//other.example/x', '/https://other.example/x', '/\\other.example/x'])
      await serve(request({ token: OLD, path }));
    expect(asked.map(({ url }) => new URL(url).host)).toEqual(Array.from({ length: 3 }, () => 'api.example'));
  });

  it('is to be tried again if the API does not answer', async () => {
    const { serve } = world(async () => Promise.reject(new Error('connection refused')));
    await expect(serve(request({ token: OLD }))).rejects.toMatchObject({ code: 503 });
  });

  it('may be the batch of a relay that shows the old token of a node', async () => {
    const { asked, serve } = world();
    const body = Buffer.from(JSON.stringify({ enrol: [{ name: 'n1', token: OLD }] }));
    await serve(request({ token: NEW, method: 'POST', path: BATCH, body }));
    expect(asked.map(({ url }) => new URL(url).pathname)).toEqual([BATCH]);
  });
});

it('all other requests are answered here', async () => {
  const { asked, serve } = world();
  for (const given of [
    {},
    { path: BATCH, body: Buffer.from(NEW) },
    { headers: { authorization: undefined } },
  ])
    expect((await serve(request({ token: NEW, ...given }))).body).toBe('here');
  expect(asked).toEqual([]);
});

it('while there are no public keys, the API answers what has a token', async () => {
  const { asked, serve } = world(undefined, () => Promise.reject(new Error('none are published')));
  expect((await serve(request({ token: NEW }))).status).toBe(201);
  expect((await serve(request({ token: NEW, headers: { authorization: undefined } }))).body).toBe('here');
  expect(asked).toHaveLength(1);
});
