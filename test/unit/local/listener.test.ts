import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CertifiedKey, createAuthority, issueServerCertificate } from '../../../local/certificates.ts';
import { type Listener, startListener } from '../../../local/listener.ts';
import type { HttpRequest } from '../../../shared/apiserver/http.ts';

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

type Pieces = (sent: HttpRequest) => AsyncIterable<string>;

const listen = async (pieces: Pieces, connections?: number): Promise<Listener> => {
  const serve = async (sent: HttpRequest) => ({ status: 200, headers: {}, body: '', stream: pieces(sent) });
  const onError = (error: unknown) => problems.push(error);
  const most = connections === undefined ? {} : { connections };
  const listener = await startListener({ serve, tls, host: '127.0.0.1', port: 0, onError, ...most });
  listeners.push(listener);
  return listener;
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

/** A promise and what resolves it. */
const signalled = () => {
  let done = (): void => {};
  const happened = new Promise<void>((resolve) => {
    done = resolve;
  });
  return { happened, done };
};

const untilAborted = ({ signal }: HttpRequest): Promise<unknown> =>
  signal && !signal.aborted ? once(signal, 'abort') : Promise.resolve();

describe('an answer in pieces', () => {
  it('shows its headers before the first piece, and ends in good order', async () => {
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

  it('is given up at once, with all that it holds, when its client goes away', async () => {
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

  it('is not made faster than its client takes it', async () => {
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

  it('ends in good order when the server stops, which does not wait for connections that are kept', async () => {
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

it('connections that are too many are told so, and when to come back', async () => {
  const listener = await listen(async function* (sent) {
    yield 'one\n';
    await untilAborted(sent);
  }, 1);
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
