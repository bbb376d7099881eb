import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { serverFacts } from '../../../../cli/doctor/gather/server.ts';

/** The status of the second page. */
let second = 200;

/** An API with two pages of Nodes. */
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api');
  const isSecond = searchParams.has('continue') && searchParams.get('continue') !== '';
  const page = isSecond ? { items: [{}] } : { metadata: { continue: 'a b' }, items: [{}, {}] };
  const body = pathname === '/api/v1/nodes' ? page : { status: { allowed: true } };
  const status = isSecond ? second : 200;
  const sent = status === 200 ? body : { kind: 'Status', code: status };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  second = 200;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const nodesOf = async (countsNodes: boolean): Promise<number | undefined> => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (await serverFacts({ url, token: 't', countsNodes })).nodes;
};

it.each([
  ['are counted over all pages', true, 3],
  ['are not counted if nobody needs to know', false, undefined],
])('the Nodes %s', async (_, countsNodes, nodes) => {
  expect(await nodesOf(countsNodes)).toBe(nodes);
});

it.each([410, 429, 500, 504])(
  'a page that is refused with %i is not the last one: the number is unknown',
  async (status) => {
    second = status;
    expect(await nodesOf(true)).toBeUndefined();
  },
);
