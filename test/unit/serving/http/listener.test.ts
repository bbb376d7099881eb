import { type EventEmitter, once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RequestHead, withBody } from '../../../../shared/apiserver/contract/http.ts';
import type { Serve } from '../../../../shared/apiserver/serve.ts';
import type { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import {
  type CertifiedKey,
  createAuthority,
  issueServerCertificate,
} from '../../../../shared/serving/http/certificates.ts';
import {
  type Listener,
  type ListenerLimits,
  startListener,
} from '../../../../shared/serving/http/listener.ts';
import { parseHostConfiguration } from '../../../../shared/settings/host/host-configuration.ts';

let ca: CertifiedKey;
let tls: CertifiedKey;
const listeners: Listener[] = [];
const problems: unknown[] = [];

beforeAll(async () => {
  ca = await createAuthority(Date.now());
  tls = await issueServerCertificate(ca, ['127.0.0.1'], Date.now());
});

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.stop(0)));
});

type Pieces = (sent: RequestHead) => AsyncIterable<string>;

const LIMITS = parseHostConfiguration().limits;

const listenWith = async (serve: Serve, limits: ListenerLimits = LIMITS): Promise<Listener> => {
  const onError = (error: unknown) => problems.push(error);
  const listener = await startListener({ serve, tls, limits, host: '127.0.0.1', port: 0, onError });
  listeners.push(listener);
  return listener;
};

const listen = async (pieces: Pieces, connections = LIMITS.connections): Promise<Listener> => {
  const serve: Serve = async (sent) => ({ status: 200, headers: {}, body: '', stream: pieces(sent) });
  return listenWith(serve, { ...LIMITS, connections });
};

interface Opened {
  readonly sent: ClientRequest;
  readonly response: IncomingMessage;
}

/** Resolves as soon as the headers are there. */
const open = async ({ port }: Listener): Promise<Opened> => {
  const sent = request({ host: '127.0.0.1', port, ca: ca.certificate }).end();
  sent.on('error', () => {});
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { sent, response };
};

const textOf = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece;
  return text;
};

/** Resolves when it is closed, also after an error. */
const closingOf = (one: EventEmitter): Promise<void> =>
  new Promise((resolve) => {
    one.once('close', () => resolve());
  });

/** A promise and what resolves it. */
const signalled = () => {
  let done = (): void => {};
  const happened = new Promise<void>((resolve) => {
    done = resolve;
  });
  return { happened, done };
};

const untilAborted = ({ signal }: RequestHead): Promise<unknown> =>
  signal && !signal.aborted ? once(signal, 'abort') : Promise.resolve();

describe('a streamed answer', () => {
  it('sends its headers before the first piece, and ends correctly', async () => {
    const go = signalled();
    const listener = await listen(async function* () {
      await go.happened;
      yield 'one\n';
      yield 'two\n';
    });
    const { response } = await open(listener);
    expect(response.headers['transfer-encoding']).toBe('chunked');
    go.done();
    expect(await textOf(response)).toBe('one\ntwo\n');
    expect(response.complete).toBe(true);
  });

  it('ends at once when its client disconnects, and releases what it holds', async () => {
    const freed = signalled();
    const listener = await listen(async function* (sent) {
      try {
        yield 'one\n';
        await untilAborted(sent);
      } finally {
        freed.done();
      }
    });
    const { sent, response } = await open(listener);
    await once(response, 'data');
    sent.destroy();
    await freed.happened;
    expect(problems).toEqual([]);
  });

  it('is not produced faster than its client reads it', async () => {
    const piece = `${'x'.repeat(65_536)}\n`;
    let made = 0;
    const listener = await listen(async function* () {
      for (; made < 400; made += 1) yield piece;
    });
    const { response } = await open(listener);
    const before = made;
    await once(response, 'readable');
    // What sockets and buffers of both ends hold is far below the 26 MB of the answer.
    expect(Math.max(before, made)).toBeLessThan(250);
    expect((await textOf(response)).length).toBe(400 * piece.length);
    expect(made).toBe(400);
  });

  it('ends correctly when the server stops, which does not wait for idle connections', async () => {
    const listener = await listen(async function* (sent) {
      yield 'one\n';
      await untilAborted(sent);
      yield 'last\n';
    });
    const clients = await Promise.all([open(listener), open(listener), open(listener)]);
    const texts = clients.map(({ response }) => textOf(response));
    await listener.stop(60_000);
    expect(await Promise.all(texts)).toEqual(['one\nlast\n', 'one\nlast\n', 'one\nlast\n']);
    expect(clients.map(({ response }) => response.complete)).toEqual([true, true, true]);
  });
});

it('connections above the limit get 503 with Retry-After', async () => {
  const listener = await listen(
    async function* (sent) {
      yield 'one\n';
      await untilAborted(sent);
    },
    { ...LIMITS.connections, all: 1 },
  );
  const first = await open(listener);
  const { response } = await open(listener);
  expect([response.statusCode, response.headers['retry-after'], response.headers.connection]).toEqual([
    503,
    '5',
    'close',
  ]);
  expect(JSON.parse(await textOf(response))).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable' });
  first.response.on('error', () => {});
  first.sent.destroy();
  await vi.waitUntil(async () => (await open(listener)).response.statusCode === 200);
});

describe('a body', () => {
  const send = (
    { port }: Listener,
    headers: Readonly<Record<string, string>>,
    body?: Uint8Array,
  ): ClientRequest => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', ca: ca.certificate, headers });
    sent.on('error', () => {});
    sent.flushHeaders();
    if (body) sent.write(body);
    return sent;
  };
  const statusOf = async (sent: ClientRequest): Promise<number | undefined> => {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const refusing: Serve = async () => ({ status: 401, headers: {}, body: 'no' });
  /** Reads bodies, and keeps the requests in hand until they are told. */
  const reading = (until: Promise<void>, sender?: string): Serve => {
    return async (arriving) => {
      if (sender !== undefined) arriving.onSender?.(sender);
      try {
        const { body } = await withBody(arriving);
        await until;
        return { status: 200, headers: {}, body: String(body.byteLength) };
      } catch (error) {
        return { status: (error as StatusError).code, headers: {}, body: '' };
      }
    };
  };
  const now = Promise.resolve();
  const never = new Promise<void>(() => {});
  const MB = 1_048_576;

  it('is not waited for if it is not needed', async () => {
    const listener = await listenWith(refusing);
    const sent = send(listener, { 'content-length': String(3 * MB) }, Buffer.alloc(2 * MB));
    const closed = closingOf(sent);
    expect(await statusOf(sent)).toBe(401);
    await closed;
  });

  it('is read unchanged', async () => {
    const listener = await listenWith(reading(now));
    const sent = send(listener, { 'content-length': '100000' }, Buffer.alloc(60_000));
    sent.end(Buffer.alloc(40_000));
    expect(await statusOf(sent)).toBe(200);
  });

  it('is requested by 100 Continue if its client waits for that, and only if it is needed', async () => {
    const headers = { 'content-length': '4', expect: '100-continue' };
    const wanted = send(await listenWith(reading(now)), headers);
    await once(wanted, 'continue');
    wanted.end('body');
    expect(await statusOf(wanted)).toBe(200);
    const unwanted = send(await listenWith(refusing), headers);
    unwanted.on('continue', () => expect.unreachable());
    expect(await statusOf(unwanted)).toBe(401);
    unwanted.destroy();
  });

  it('is refused before it arrives if its declared length is too large', async () => {
    const sent = send(await listenWith(reading(now)), { 'content-length': String(4 * MB) });
    expect(await statusOf(sent)).toBe(413);
    sent.destroy();
  });

  it('is refused as soon as more bytes arrive than allowed', async () => {
    const sent = send(await listenWith(reading(now)), {}, Buffer.alloc(3 * MB + 1));
    expect(await statusOf(sent)).toBe(413);
    sent.destroy();
  });

  it('is refused if its sender, or all senders together, have too many bytes in memory', async () => {
    const bytes = { ...LIMITS.bytes, bodies: 3 * MB, bodiesPerIdentity: 2 * MB };
    const limits = { ...LIMITS, bytes };
    const serves = { ann: reading(never, 'ann'), bob: reading(now, 'bob') };
    const serve: Serve = (arriving) =>
      (arriving.headers['x-user'] === 'ann' ? serves.ann : serves.bob)(arriving);
    const listener = await listenWith(serve, limits);
    const post = (user: string, size: number) => {
      const headers = { 'content-length': String(size), 'x-user': user };
      return statusOf(send(listener, headers, Buffer.alloc(size)).end());
    };
    void post('ann', 2 * MB).catch(() => undefined);
    await vi.waitUntil(async () => (await post('bob', 1.5 * MB)) === 429);
    expect(await Promise.race([post('ann', 100_000), now.then(() => never)])).toBe(429);
    expect(await post('bob', 0.5 * MB)).toBe(200);
    expect(await post('bob', 10_000)).toBe(200);
  });
});

it('unread answers are bounded: the client with the oldest answer of the largest holder is disconnected', async () => {
  const cuts: string[] = [];
  const body = Buffer.alloc(30 * 1_048_576);
  const serve: Serve = async (arriving) => {
    arriving.onSender?.(arriving.headers['x-user'] ?? '');
    return { status: 200, headers: {}, body: arriving.headers['x-user'] === 'small' ? 'small' : body };
  };
  const listener = await startListener({
    serve,
    tls,
    host: '127.0.0.1',
    port: 0,
    limits: LIMITS,
    onError: (error) => problems.push(error),
    onCut: (reason) => cuts.push(reason),
  });
  listeners.push(listener);
  const get = async (user: string): Promise<IncomingMessage> => {
    const options = {
      host: '127.0.0.1',
      port: listener.port,
      ca: ca.certificate,
      headers: { 'x-user': user },
    };
    const sent = request(options).end();
    sent.on('error', () => {});
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response.on('error', () => {});
  };
  const [other, oldest] = [await get('other'), await get('greedy')];
  const gone = closingOf(oldest);
  await get('greedy');
  oldest.resume();
  await gone;
  expect([oldest.complete, cuts]).toEqual([false, ['answers']]);
  expect((await textOf(await get('small'))).length).toBe(5);
  expect((await textOf(other)).length).toBe(body.byteLength);
});

it('a client that sends many requests without waiting for answers is disconnected', async () => {
  const cuts: string[] = [];
  const serve: Serve = () => new Promise(() => undefined);
  const listener = await startListener({
    serve,
    tls,
    host: '127.0.0.1',
    port: 0,
    limits: LIMITS,
    onError: (error) => problems.push(error),
    onCut: (reason) => cuts.push(reason),
  });
  listeners.push(listener);
  const socket = connect({ host: '127.0.0.1', port: listener.port, ca: ca.certificate });
  socket.on('error', () => {});
  const closed = closingOf(socket);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100));
  await closed;
  expect(cuts).toEqual(['pipelining']);
});
