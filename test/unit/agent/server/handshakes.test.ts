/** What becomes of a session whose client is never connected. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ContainerStreams } from '../../../../agent/ports/machine/container-streams.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { nodePath } from '../../../../agent/rules/server/node-path.ts';
import type { Upgrade } from '../../../../agent/server/contract/handlers.ts';
import { createUpgradeHandler } from '../../../../agent/server/serve-streams.ts';
import { webSocketTunnel } from '../../../../agent/server/web-socket.ts';

const POD = {
  metadata: { name: 'p', namespace: 'd', uid: 'u' },
  spec: { containers: [{ name: 'c' }] },
  status: { containerStatuses: [{ name: 'c', state: { running: {} }, containerID: 'x://1' }] },
} as unknown as AgentPod;

const HEADERS = {
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'v5.channel.k8s.io',
};

const upgradeOf = (url: string, socket: Duplex, request: object): Upgrade => {
  const [path = '', query] = url.split('?');
  return {
    request: { method: 'GET', headers: HEADERS, url, ...request } as unknown as IncomingMessage,
    socket,
    head: Buffer.alloc(0),
    path: nodePath(path) as Upgrade['path'],
    query: new URLSearchParams(query),
    signal: new AbortController().signal,
  };
};

const serve = (streams: Partial<ContainerStreams>, upgrade: Upgrade): Promise<void> =>
  createUpgradeHandler({
    pods: {
      find: () => POD,
      read: async () => undefined,
      isRunning: async () => true,
      onChange: () => () => {},
      streams: streams as ContainerStreams,
    },
  })(upgrade);

/** A command that runs until it is ended. */
const endless = () => {
  const { promise: ended, reject } = Promise.withResolvers<number>();
  return { ended, resize: () => {}, end: () => reject(new Error('ended')) };
};

const TUNNEL = 'SPDY/3.1+portforward.k8s.io';
const EXEC = '/exec/d/p/c?command=sh&output=1';

describe('a command whose client is not connected', () => {
  it.each([
    ['without a key', { headers: { ...HEADERS, 'sec-websocket-key': undefined } }, /Sec-WebSocket-Key/],
    ['of an unknown version', { headers: { ...HEADERS, 'sec-websocket-version': '1' } }, /Version/],
    ['with another method', { method: 'POST' }, /Invalid HTTP method/],
  ])('is ended after a handshake %s, which is answered', async (_, request, message) => {
    const process = endless();
    const upgrade = upgradeOf(EXEC, duplexPair()[0], request);
    await expect(serve({ exec: async () => process }, upgrade)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(message) as string,
    });
    expect(upgrade.socket.writable).toBe(true);
    await expect(process.ended).rejects.toThrow('ended');
  });

  it('is ended if the client has gone meanwhile', async () => {
    const process = endless();
    const [socket] = duplexPair();
    const exec = async () => {
      await once(socket.destroy(), 'close');
      return process;
    };
    await expect(serve({ exec }, upgradeOf(EXEC, socket, {}))).rejects.toThrow('the client has gone');
    await expect(process.ended).rejects.toThrow('ended');
  });

  it('is ended if the client has sent its end', async () => {
    const process = endless();
    const [socket, client] = duplexPair();
    client.end();
    await once(socket.resume(), 'end');
    await expect(serve({ exec: async () => process }, upgradeOf(EXEC, socket, {}))).rejects.toThrow(
      'the client has gone',
    );
    await expect(process.ended).rejects.toThrow('ended');
  });
});

it('a tunnel is spoken by its name, which has a slash', async () => {
  const [socket, client] = duplexPair();
  const headers = { ...HEADERS, 'sec-websocket-protocol': `other, ${TUNNEL}` };
  const tunnel = await webSocketTunnel(upgradeOf('/portForward/d/p', socket, { headers }), TUNNEL);
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(answer.toString().split('\r\n')).toEqual(
    expect.arrayContaining(['HTTP/1.1 101 Switching Protocols', `Sec-WebSocket-Protocol: ${TUNNEL}`]),
  );
  tunnel.destroy();
});

it('a connection to the runtime ends with a handshake that fails', async () => {
  const runtime = createServer();
  const connected = Promise.withResolvers<Duplex>();
  runtime.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    connected.resolve(socket.resume());
  });
  await once(runtime.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`http://127.0.0.1:${(runtime.address() as AddressInfo).port}`);
  const headers = { ...HEADERS, 'sec-websocket-protocol': TUNNEL };
  const upgrade = upgradeOf('/portForward/d/p', duplexPair()[0], { method: 'POST', headers });
  await expect(serve({ forward: async () => url }, upgrade)).rejects.toThrow('Invalid HTTP method');
  const socket = await connected.promise;
  if (!socket.readableEnded) await once(socket, 'end');
  socket.destroy();
  runtime.close();
});
