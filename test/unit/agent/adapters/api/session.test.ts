import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createApiSession } from '../../../../../agent/adapters/api/session.ts';
import type { AgentFault } from '../../../../../agent/ports/machine/agent-fault.ts';
import { createOwnSession } from '../../../../../agent/program/own-session.ts';
import type { OwnToken } from '../../../../../agent/rules/registration/own-token.ts';

const listening = async (status: number, message: string, body?: string) => {
  const got: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer(({ url, headers }, response) => {
    got.push({ url, headers });
    response.writeHead(status).end(body ?? JSON.stringify({ kind: 'Status', message }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const TOKEN: OwnToken = {
  token: 't',
  nodeName: 'n1',
  nodeUid: 'u1',
  clusterId: 'c1',
  lifeMs: 1,
  since: { bootId: 'b', uptimeMs: 0 },
};

it('sends heartbeats to their own address, with the token of the moment and the media type of the patch', async () => {
  const [api, beats] = [await listening(200, ''), await listening(200, '')];
  let token = 'a';
  const session = createApiSession({
    addresses: { server: `${api.url}/base/`, heartbeatServers: [beats.url] },
    token: () => token,
  });
  onTestFinished(session.reset);
  await session.request('PATCH', '/x', { body: {}, isStrategic: true });
  token = 'b';
  await session.request('PUT', '/y', { body: {}, isBeat: true });
  expect(api.got).toMatchObject([
    {
      url: '/base/x',
      headers: { authorization: 'Bearer a', 'content-type': 'application/strategic-merge-patch+json' },
    },
  ]);
  expect(beats.got).toMatchObject([{ url: '/y', headers: { authorization: 'Bearer b' } }]);
});

it('J-200, J-201: heartbeats go to the first address that reaches the control plane, and back to the first one after two minutes', async () => {
  const [away, relay, api] = [
    await listening(503, 'no uplink'),
    await listening(200, ''),
    await listening(200, ''),
  ];
  let uptime = 0;
  const moves: string[] = [];
  const session = createApiSession({
    addresses: { server: api.url, heartbeatServers: [away.url, 'http://127.0.0.1:1', relay.url] },
    token: () => 't',
    uptime: () => uptime,
    onBeatAddress: (url) => moves.push(url),
  });
  onTestFinished(session.reset);
  const beat = async (at: number): Promise<readonly number[]> => {
    uptime = at;
    expect((await session.request('PUT', '/', { body: {}, isBeat: true })).status).toBe(200);
    return [away.got.length, relay.got.length];
  };
  expect(await beat(0)).toEqual([1, 1]);
  expect(await beat(10_000)).toEqual([1, 2]);
  expect(await beat(119_999)).toEqual([1, 3]);
  expect(await beat(120_000)).toEqual([2, 4]);
  expect(await beat(130_000)).toEqual([2, 5]);
  expect(api.got).toEqual([]);
  expect(moves).toEqual([relay.url]);
});

it('J-201: a refusal is the answer, by whichever address it comes; if none reaches the control plane, the last one speaks', async () => {
  const [refusing, away] = [await listening(403, 'no'), await listening(503, 'away')];
  const statusBy = async (...heartbeatServers: readonly string[]): Promise<number> => {
    const session = createApiSession({ addresses: { server: away.url, heartbeatServers }, token: () => 't' });
    onTestFinished(session.reset);
    return (await session.request('PUT', '/', { body: {}, isBeat: true })).status;
  };
  expect(await statusBy(refusing.url, away.url)).toBe(403);
  expect(away.got).toHaveLength(0);
  expect(await statusBy('http://127.0.0.1:1', away.url)).toBe(503);
  await expect(statusBy(away.url, 'http://127.0.0.1:1')).rejects.toThrow('ECONNREFUSED');
});

it('J-201: a refusal that is no Status is none of a control plane: the next address has its turn, and the agent says why', async () => {
  const gone = await listening(403, '', '{"Message":null}');
  const api = await listening(200, '');
  const moves: unknown[] = [];
  const session = createApiSession({
    addresses: { server: api.url, heartbeatServers: [gone.url, api.url] },
    token: () => 't',
    onBeatAddress: (...move) => moves.push(move),
  });
  onTestFinished(session.reset);
  expect((await session.request('PUT', '/', { body: {}, isBeat: true })).status).toBe(200);
  expect(moves).toEqual([[api.url, `${gone.url} is no control plane: it answered 403`]]);
});

it.each([
  [403, '{"Message":null}', 'is no control plane: it answered 403'],
  [404, '<html>no such page</html>', 'is no control plane: it answered 404'],
  [302, '', 'is no control plane: it answered 302'],
])('J-201: if there is no other address, %i with %s is no answer', async (status, body, message) => {
  const gone = await listening(status, '', body);
  const session = createApiSession({ addresses: { server: gone.url }, token: () => 't' });
  onTestFinished(session.reset);
  await expect(session.request('PUT', '/', { body: {}, isBeat: true })).rejects.toThrow(message);
});

it('J-201: a function that is throttled is an answer, though AWS gives it', async () => {
  const busy = await listening(429, '', '{"Message":"Rate Exceeded."}');
  const session = createApiSession({ addresses: { server: busy.url }, token: () => 't' });
  onTestFinished(session.reset);
  expect((await session.request('PUT', '/', { body: {}, isBeat: true })).status).toBe(429);
});

it('connects anew after a reset', async () => {
  const { url, got } = await listening(200, '');
  const session = createApiSession({ addresses: { server: url }, token: () => 't' });
  onTestFinished(session.reset);
  await session.request('GET', '/1');
  session.reset();
  await session.request('POST', '/2', { body: {} });
  expect(got).toHaveLength(2);
});

it.each([
  ['the Node that this token was made for was deleted', true, /does not make it again/],
  ['the token expired', false, /rollcall token --release n1/],
])('says what to do when the machine is not known any more: %s', async (why, isVoid, remedy) => {
  const { url } = await listening(401, `Unauthorized: ${why}`);
  const faults: AgentFault[] = [];
  let uptime = 0;
  const session = createOwnSession({
    addresses: { server: url },
    current: () => TOKEN,
    clock: { uptime: () => uptime, sleep: async () => undefined },
    random: () => 0,
    log: () => undefined,
    onVoid: (fault) => faults.push(fault),
  });
  onTestFinished(session.reset);
  await session.request('GET', '/');
  uptime = 60_000;
  await session.request('GET', '/');
  expect(faults.at(-1)).toMatchObject({ isVoid, message: expect.stringMatching(remedy) });
  expect(faults.at(-1)?.message).toContain(why);
});

it.each([
  [
    'a page for a login',
    '<html>Login</html>',
    'the answer 200 is not from the API, or was cut: <html>Login</html>',
  ],
  ['JSON that was cut', '{"kind":"NodeWork","pods":[{"meta', 'was cut'],
  ['a bare value', 'null', 'not from the API'],
  ['nothing', '', 'not from the API'],
  ['more than fits', ' '.repeat(33 * 2 ** 20), 'more than 33554432 bytes'],
])('J-157: %s is no answer', async (_, body, message) => {
  const { url } = await listening(200, '', body);
  const session = createApiSession({ addresses: { server: url }, token: () => 't' });
  onTestFinished(session.reset);
  await expect(session.request('GET', '/')).rejects.toThrow(message);
});

it('J-157: a refusal by something before the API says nothing about the token', async () => {
  const { url } = await listening(401, '', '<html>proxy</html>');
  const faults: AgentFault[] = [];
  let uptime = 0;
  const session = createOwnSession({
    addresses: { server: url },
    current: () => TOKEN,
    random: () => 0,
    log: () => undefined,
    clock: { uptime: () => uptime, sleep: async () => undefined },
    onVoid: (fault) => faults.push(fault),
  });
  onTestFinished(session.reset);
  for (; uptime < 300_000; uptime += 60_000) expect((await session.request('GET', '/')).status).toBe(401);
  expect(faults).toEqual([]);
});
