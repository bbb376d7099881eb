/** Clients whose bytes nobody reads are asked whether they are still there. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nodePath } from '../../../../agent/rules/server/node-path.ts';
import { decodeFrames, encodeFrame, type Frame } from '../../../../agent/rules/spdy/frames.ts';
import { packHeaders } from '../../../../agent/rules/spdy/headers.ts';
import type { Upgrade } from '../../../../agent/server/contract/handlers.ts';
import { createSpdyConnection } from '../../../../agent/server/spdy/connection.ts';
import { webSocketStreams } from '../../../../agent/server/web-socket.ts';

const ASK_MS = 30_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
};

const connected = () => {
  const [client, socket] = duplexPair();
  const got: Buffer[] = [];
  client.on('data', (chunk: Buffer) => got.push(chunk));
  const sent = async (): Promise<Buffer> => {
    await turns();
    return Buffer.concat(got.splice(0));
  };
  const answered = async (): Promise<Buffer> => {
    while (got.length === 0) await setImmediate();
    return sent();
  };
  return { client, socket, sent, answered };
};

it('over SPDY, by pings whose answers are not answered', async () => {
  const { client, socket, sent, answered } = connected();
  const framesIn = (bytes: Buffer) => decodeFrames(Buffer.alloc(0), bytes).frames;
  const { closed } = createSpdyConnection(socket, { onStream: () => {} });
  const write = (frame: Frame) => client.write(encodeFrame(frame));
  write({ kind: 'open', stream: 1, isLast: false, block: packHeaders({}, true) });
  expect(framesIn(await answered())).toMatchObject([{ kind: 'reply' }]);
  vi.advanceTimersByTime(ASK_MS);
  write({ kind: 'ping', id: 2 });
  expect(await sent()).toHaveLength(0);
  for (let piece = 0; piece < 4; piece += 1)
    write({ kind: 'data', stream: 1, isLast: false, bytes: Buffer.alloc(32 * 1024) });
  expect(await sent()).toHaveLength(0);
  vi.advanceTimersByTime(ASK_MS);
  expect(framesIn(await answered())).toEqual([{ kind: 'ping', id: 2 }]);
  socket.destroy();
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});

const upgradeOf = (socket: Upgrade['socket']): Upgrade => {
  const headers = {
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': 'v5.channel.k8s.io',
  };
  return {
    request: { method: 'GET', headers } as unknown as IncomingMessage,
    socket,
    head: Buffer.alloc(0),
    path: nodePath('/exec/d/p/c') as Upgrade['path'],
    query: new URLSearchParams(),
    signal: new AbortController().signal,
  };
};

/** A message of 32,768 bytes for the input, under a mask of zeros. */
const MESSAGE = Buffer.concat([Buffer.from([0x82, 0xfe, 0x80, 0, 0, 0, 0, 0]), Buffer.alloc(0x80_00)]);
const PING = Buffer.from([0x89, 0]);

it('over a WebSocket', async () => {
  const { client, socket, sent } = connected();
  const wanted = { stdin: true, stdout: false, stderr: false, tty: false };
  const { stdin } = await webSocketStreams(upgradeOf(socket), wanted);
  await sent();
  vi.advanceTimersByTime(ASK_MS);
  expect(await sent()).toHaveLength(0);
  for (let message = 0; message < 4; message += 1) client.write(MESSAGE);
  await turns();
  vi.advanceTimersByTime(ASK_MS);
  expect(await sent()).toEqual(PING);
  stdin?.resume();
  await turns();
  vi.advanceTimersByTime(ASK_MS);
  expect(await sent()).toHaveLength(0);
  await once(socket.destroy(), 'close');
  expect(vi.getTimerCount()).toBe(0);
});
