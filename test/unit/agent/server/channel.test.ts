import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import { servingCertificate } from '../../../../agent/adapters/serving-certificate.ts';
import { channelCallIn } from '../../../../agent/rules/registration/channel-call.ts';
import { type ChannelKeeper, createChannelKeeper } from '../../../../agent/server/channel.ts';
import { createConnect } from '../../../../agent/server/connect-channel.ts';
import { eventually } from '../../../support/clocks/eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-channel-'));
let server: Server;
let certificate: string;
let url: string;
let sockets: { readonly path: string; readonly token: string | undefined; readonly socket: WebSocket }[];
let keeper: ChannelKeeper;
let told: string[];

beforeAll(async () => {
  const { pem, fingerprint } = await servingCertificate(folder, 'gateway', Date.now());
  certificate = fingerprint;
  server = createServer({ key: pem, cert: pem });
  const webSockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, connection, head) =>
    webSockets.handleUpgrade(request, connection, head, (socket) =>
      sockets.push({ path: request.url ?? '', token: request.headers.authorization, socket }),
    ),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  [sockets, told] = [[], []];
  const addresses = { server: 'https://192.0.2.1' };
  keeper = createChannelKeeper({
    connect: createConnect({ addresses, nodeName: 'm1', token: () => 'own' }),
    // What comes is sent back.
    accept: (connection: Duplex) => void connection.pipe(connection),
    log: (message, error) => void told.push(`${message}: ${String(error)}`),
  });
});
afterEach(() => {
  keeper.close();
  for (const { socket } of sockets) socket.terminate();
});

const PATH = '/apis/rollcall.dev/v1/nodes/m1/channel';
const connected = (path: string) =>
  eventually(`a connection to ${path}`, 10_000, async () => sockets.find((one) => one.path === path), {
    everyMs: 10,
  });

describe('the agent’s end of a channel', () => {
  it('is opened with the node’s token, once for each id, and its streams are connections to the agent', async () => {
    keeper.call({ id: 'a', url, certificate });
    keeper.call({ id: 'a', url, certificate });
    const { socket, token } = await connected(`${PATH}?id=a`);
    expect(token).toBe('Bearer own');
    socket.send('{"open":"s-1"}');
    socket.send('{"open":"../../secrets"}');
    socket.send('nonsense');
    const stream = createWebSocketStream((await connected(`${PATH}/s-1`)).socket);
    stream.write('hello');
    expect(String((await once(stream, 'data'))[0])).toBe('hello');
    stream.destroy();
    keeper.call({ id: 'b', url, certificate });
    await connected(`${PATH}?id=b`);
    expect(sockets).toHaveLength(3);
  });

  it('tells nothing to a gateway with another certificate', async () => {
    keeper.call({ id: 'a', url, certificate: 'f'.repeat(64) });
    await eventually('it is told', 10_000, async () => told.length > 0);
    expect(told[0]).toContain('has another certificate than the control plane says');
    expect(sockets).toEqual([]);
  });

  it('ends with the agent', async () => {
    keeper.call({ id: 'a', url, certificate });
    const { socket } = await connected(`${PATH}?id=a`);
    const closed = once(socket, 'close');
    keeper.close();
    await closed;
    keeper.call({ id: 'b', url, certificate });
    expect(sockets).toHaveLength(1);
  });
});

describe('a call for a channel', () => {
  const right = { id: 'a', url: 'https://192.0.2.1:8443', certificate: 'a'.repeat(64) };
  it.each<[unknown, unknown]>([
    [{ id: 'a' }, { id: 'a' }],
    [{ id: 'a', more: 1 }, { id: 'a' }],
    [right, right],
    [{ ...right, url: 'http://192.0.2.1' }, undefined],
    [{ ...right, certificate: undefined }, undefined],
    [{ ...right, certificate: 'A' }, undefined],
    [{ ...right, url: 'nowhere' }, undefined],
    [{ id: 7 }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])('%o', (given, expected) => {
    expect(channelCallIn(given)).toEqual(expected);
  });
});
