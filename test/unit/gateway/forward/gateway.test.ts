import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import { GATEWAY_LIMITS, type GatewayLimits } from '../../../../gateway/forward/admission.ts';
import { createGatewayServe } from '../../../../gateway/serve.ts';
import { createUpstream, type Upstream } from '../../../../gateway/upstream/upstream.ts';
import type { HttpRequest } from '../../../../shared/apiserver/contract/http.ts';
import { createHostLog } from '../../../../shared/serving/machine/host-log.ts';

const servers: Server[] = [];
const upstreams: Upstream[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  for (const upstream of upstreams.splice(0)) upstream.close();
});

const serving = async (listener: RequestListener, port = 0): Promise<Server> => {
  const server = createServer(listener).listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
};

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const gatewayTo = (port: number, timeoutMs = 5_000, limits: Partial<GatewayLimits> = {}) => {
  const lines: string[] = [];
  const clock = { now: () => 0, sleep: async () => undefined };
  const hostLog = createHostLog({ format: 'text', clock, write: (line) => lines.push(line.slice(9)) });
  const url = new URL(`http://api.lambda-url.localhost:${port}`);
  const upstream = createUpstream({ url, timeoutMs, maxSockets: 4 });
  upstreams.push(upstream);
  const deps = { upstream, hostLog, clock, random: () => 0, limits: { ...GATEWAY_LIMITS, ...limits } };
  return { serve: createGatewayServe(deps), lines };
};

const request = (given: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  path: '/api/v1/nodes',
  query: new URLSearchParams(),
  headers: {},
  body: new Uint8Array(),
  ...given,
});

const echo: RequestListener = (message, response) => {
  const { method, url, headers } = message;
  response.writeHead(201, { 'content-type': 'application/json', warning: '299 - "w"', 'retry-after': '7' });
  void text(message).then((body) => response.end(JSON.stringify({ method, url, headers, body })));
};

it('forwards requests and answers unchanged', async () => {
  const { serve } = gatewayTo(portOf(await serving(echo)));
  const { status, headers, body } = await serve(
    request({
      method: 'POST',
      query: new URLSearchParams('fieldSelector=metadata.name=a b'),
      headers: { authorization: 'Bearer t', connection: 'close', 'content-type': 'application/json' },
      body: Buffer.from('{"a":1}'),
    }),
  );
  const seen = JSON.parse(String(body));
  expect(status).toBe(201);
  expect(headers).toMatchObject({ warning: '299 - "w"', 'retry-after': '7' });
  expect(headers).not.toHaveProperty('connection');
  expect(seen).toMatchObject({ method: 'POST', body: '{"a":1}', headers: { authorization: 'Bearer t' } });
  expect(new URL(seen.url, 'http://x').searchParams.get('fieldSelector')).toBe('metadata.name=a b');
  expect(seen.headers.host).toContain('api.lambda-url.localhost');
});

it.each(['DELETE', 'GET', 'PATCH', 'POST', 'PUT'])('forwards the body of a %s', async (method) => {
  const { serve } = gatewayTo(portOf(await serving(echo)));
  const body = Buffer.from('{"dryRun":["All"]}');
  for (const _ of ['on a new connection', 'on the same again']) {
    const answered = await serve(request({ method, body }));
    expect(JSON.parse(String(answered.body))).toMatchObject({ method, body: '{"dryRun":["All"]}' });
  }
});

it('logs once that the API is unreachable, and once that it answers again', async () => {
  const first = await serving(echo);
  const port = portOf(first);
  const { serve, lines } = gatewayTo(port);
  await serve(request());
  first.closeAllConnections();
  first.close();
  await once(first, 'close');
  for (const _ of [1, 2]) {
    const { status, headers, body } = await serve(request());
    expect(status).toBe(503);
    expect(headers).not.toHaveProperty('retry-after');
    expect(JSON.parse(String(body)).message).toMatch(/cannot be reached \(ECONNREFUSED\)/);
  }
  await serving(echo, port);
  expect((await serve(request())).status).toBe(201);
  expect(lines.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
    'WARN the API',
    'the API answers',
  ]);
});

it.each([
  ['GET', 503, /broke \(ECONNRESET\) before the end of its answer$/],
  ['POST', 500, /may have been carried out or not/],
])('a broken connection in the middle of a %s is a %i', async (method, expected, message) => {
  const { serve } = gatewayTo(portOf(await serving((incoming) => incoming.socket.destroy())));
  const { status, body } = await serve(request({ method }));
  expect(status).toBe(expected);
  expect(JSON.parse(String(body)).message).toMatch(message);
});

it('answers an error if the API does not answer in time', async () => {
  const { serve } = gatewayTo(portOf(await serving(() => undefined)), 50);
  const { status, body } = await serve(request());
  expect(status).toBe(504);
  expect(JSON.parse(String(body)).message).toMatch(/gave no answer within 0.05 s/);
});

it.each(['DELETE', 'POST', 'GET'])(
  'keeps the body of a %s apart from the next request on the connection',
  async (method) => {
    const { serve } = gatewayTo(portOf(await serving(echo)));
    for (const body of ['{"propagationPolicy":"Background"}', '']) {
      const answered = await serve(request({ method, body: Buffer.from(body) }));
      expect(JSON.parse(String(answered.body))).toMatchObject({ method, body });
    }
  },
);

it('sends a path that begins with two slashes to the API, not to a host of that name', async () => {
  const { serve } = gatewayTo(portOf(await serving(echo)));
  const { body } = await serve(request({ path: '//example.org/api' }));
  expect(JSON.parse(String(body)).url).toBe('//example.org/api');
});

it('limits the requests in flight, and answers others with 429 and Retry-After', async () => {
  const answers: (() => void)[] = [];
  const api = await serving((_, response) => answers.push(() => response.end('{}')));
  const { serve } = gatewayTo(portOf(api), 5_000, { requests: 1 });
  const first = serve(request());
  const { status, headers, body } = await serve(request());
  expect([status, headers['retry-after']]).toEqual([429, '1']);
  expect(JSON.parse(String(body))).toMatchObject({ kind: 'Status', reason: 'TooManyRequests' });
  await vi.waitUntil(() => answers.length > 0);
  answers[0]?.();
  expect((await first).status).toBe(200);
});

it('stops reading an answer when its client disconnects, and logs nothing', async () => {
  const closed = Promise.withResolvers<void>();
  const api = await serving((incoming) => incoming.once('close', () => closed.resolve()));
  const { serve, lines } = gatewayTo(portOf(api));
  const gone = new AbortController();
  const asked = serve(request({ signal: gone.signal }));
  await once(api, 'request');
  gone.abort();
  await Promise.all([asked, closed.promise]);
  expect(lines).toEqual([]);
});

it.each(['MKCOL', 'PROPFIND', 'FOO'])(
  'refuses the method %s as the API does, without a request to it',
  async (method) => {
    const { serve } = gatewayTo(1);
    const { status, body } = await serve(request({ method }));
    expect(status).toBe(405);
    expect(JSON.parse(String(body))).toMatchObject({ kind: 'Status', reason: 'MethodNotAllowed', code: 405 });
  },
);

it('refuses bodies that are too large for the API', async () => {
  const { serve } = gatewayTo(1);
  const { status } = await serve(request({ method: 'POST', body: new Uint8Array(3_145_729) }));
  expect(status).toBe(413);
});

it.each([
  [403, 'AccessDeniedException', 503, 'was the stack deleted or recreated?'],
  [429, 'TooManyRequestsException', 429, 'apiserverReservedConcurrency'],
])('explains the %i that Lambda answers in place of the function', async (code, type, status, message) => {
  const lambda: RequestListener = (_message, response) => {
    response.writeHead(code, { 'content-type': 'application/json', 'x-amzn-errortype': type });
    response.end('{"Message":null}');
  };
  const { serve } = gatewayTo(portOf(await serving(lambda)));
  const answered = await serve(request());
  expect(answered.status).toBe(status);
  expect(JSON.parse(String(answered.body)).message).toContain(message);
});
