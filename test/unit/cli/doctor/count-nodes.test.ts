import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serverFacts } from '../../../../cli/doctor/gather/server.ts';

/** An API with two pages of Nodes. */
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api');
  const page = searchParams.get('continue')
    ? { items: [{}] }
    : { metadata: { continue: 'a b' }, items: [{}, {}] };
  const body = pathname === '/api/v1/nodes' ? page : { status: { allowed: true } };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

it.each([
  ['are counted over all pages', true, 3],
  ['are not counted if nobody needs to know', false, undefined],
])('the Nodes %s', async (_, countsNodes, nodes) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await serverFacts({ url, token: 't', countsNodes })).nodes).toBe(nodes);
});
