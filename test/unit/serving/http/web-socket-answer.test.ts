import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { ArrivingRequest, HttpResponse } from '../../../../shared/apiserver/contract/http.ts';
import {
  type CertifiedKey,
  createAuthority,
  issueServerCertificate,
} from '../../../../shared/serving/http/certificates.ts';
import { type Listener, startListener } from '../../../../shared/serving/http/listener.ts';
import { parseHostConfiguration } from '../../../../shared/settings/host/host-configuration.ts';

let ca: CertifiedKey;
let tls: CertifiedKey;
let listener: Listener | undefined;
const problems: unknown[] = [];
const seen: ArrivingRequest[] = [];

beforeAll(async () => {
  ca = await createAuthority(Date.now());
  tls = await issueServerCertificate(ca, ['127.0.0.1'], Date.now());
});

afterEach(async () => {
  await listener?.stop(0);
  expect(problems.splice(0)).toEqual([]);
  seen.length = 0;
});

type Answer = (request: ArrivingRequest) => Partial<HttpResponse>;

const listen = async (answer: Answer): Promise<Listener> => {
  listener = await startListener({
    serve: async (request) => {
      seen.push(request);
      return { status: 200, headers: {}, body: '', ...answer(request) };
    },
    tls,
    limits: parseHostConfiguration().limits,
    host: '127.0.0.1',
    port: 0,
    onError: (error) => problems.push(error),
  });
  return listener;
};

const connect = ({ port }: Listener, protocols: readonly string[] = []): WebSocket =>
  new WebSocket(`wss://127.0.0.1:${port}/api/v1/nodes?watch=1`, [...protocols], { ca: ca.certificate });

interface Heard {
  readonly texts: readonly string[];
  readonly isBinary: readonly boolean[];
  readonly code: number;
  readonly protocol: string;
}

const toItsEnd = async (socket: WebSocket): Promise<Heard> => {
  const texts: string[] = [];
  const isBinary: boolean[] = [];
  socket.on('message', (data: Buffer, binary) => {
    texts.push(data.toString());
    isBinary.push(binary);
  });
  const [code] = (await once(socket, 'close')) as [number];
  return { texts, isBinary, code, protocol: socket.protocol };
};

const untilAborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (!signal || signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function* pieces<T>(...all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

describe('a watch over a WebSocket', () => {
  it('is a text message for each event, and ends when the watch does', async () => {
    const at = await listen(() => ({ stream: pieces('{"a":1}\n{"b":2}\n', '{"c":3}\n') }));
    expect(await toItsEnd(connect(at))).toEqual({
      texts: ['{"a":1}\n', '{"b":2}\n', '{"c":3}\n'],
      isBinary: [false, false, false],
      code: 1000,
      protocol: '',
    });
  });

  it('ends when its client goes', async () => {
    const freed = vi.fn();
    const at = await listen(({ signal }) => ({
      stream: (async function* () {
        try {
          yield 'one\n';
          await untilAborted(signal);
        } finally {
          freed();
        }
      })(),
    }));
    const socket = connect(at);
    await once(socket, 'message');
    socket.terminate();
    await vi.waitUntil(() => freed.mock.calls.length === 1, 30_000);
  });

  it('ends when the server stops', async () => {
    const at = await listen(({ signal }) => ({
      stream: (async function* () {
        yield 'one\n';
        await untilAborted(signal);
      })(),
    }));
    const socket = connect(at);
    await once(socket, 'message');
    const ended = toItsEnd(socket);
    await at.stop(30_000);
    expect((await ended).code).toBe(1000);
  });

  it('is not produced faster than its client reads it', async () => {
    const piece = `${'x'.repeat(65_535)}\n`;
    let made = 0;
    const at = await listen(() => ({
      stream: (async function* () {
        for (; made < 400; made += 1) yield piece;
      })(),
    }));
    const socket = connect(at);
    await once(socket, 'open');
    socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = made;
    expect(before).toBeLessThan(250);
    socket.resume();
    await toItsEnd(socket);
    expect(made).toBe(400);
  });

  it('speaks the protocol that the client offers, and takes its token from another one', async () => {
    const at = await listen(() => ({ stream: pieces('one\n') }));
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('a.b').toString('base64url')}`;
    expect((await toItsEnd(connect(at, [token, 'mine']))).protocol).toBe('mine');
    expect(seen[0]?.headers['authorization']).toBe('Bearer a.b');
  });

  it('is refused like any other one', async () => {
    const at = await listen(() => ({ status: 403, body: 'no' }));
    const socket = connect(at);
    socket.on('error', () => {});
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(403);
    socket.terminate();
  });
});

describe('a log over a WebSocket', () => {
  it.each([
    [[], '', ['a', 'b'], true],
    [['binary.k8s.io'], 'binary.k8s.io', ['a', 'b'], true],
    [['base64.binary.k8s.io'], 'base64.binary.k8s.io', ['YQ==', 'Yg=='], false],
  ])('%j: its bytes', async (protocols, protocol, texts, binary) => {
    const at = await listen(() => ({ bytes: pieces(Buffer.from('a'), Buffer.from('b')) }));
    const isBinary = texts.map(() => binary);
    expect(await toItsEnd(connect(at, protocols))).toEqual({ texts, isBinary, code: 1000, protocol });
  });
});

it('a handshake that is none is refused, and gives up what the answer holds', async () => {
  const freed = vi.fn();
  const at = await listen(() => ({
    stream: (async function* () {
      try {
        yield 'one\n';
      } finally {
        freed();
      }
    })(),
  }));
  const { request } = await import('node:https');
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const sent = request({ host: '127.0.0.1', port: at.port, ca: ca.certificate, headers }).end();
  const [response] = (await once(sent, 'response')) as [{ statusCode: number }];
  expect(response.statusCode).toBe(400);
  await vi.waitUntil(() => freed.mock.calls.length === 1, 30_000);
});
