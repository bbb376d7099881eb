import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type UpgradedClient, withBody } from '../../../../shared/apiserver/contract/http.ts';
import type { Serve } from '../../../../shared/apiserver/serve.ts';
import { createTransport } from '../../../../shared/client/transport.ts';
import {
  type CertifiedKey,
  createAuthority,
  issueServerCertificate,
} from '../../../../shared/serving/http/certificates.ts';
import { type Listener, startListener } from '../../../../shared/serving/http/listener.ts';
import { parseHostConfiguration } from '../../../../shared/settings/host/host-configuration.ts';

let ca: CertifiedKey;
let tls: CertifiedKey;
let listener: Listener;
let socket: TLSSocket;
/** What came the ordinary way, and what was answered by `again`. */
let served: string[];
let repeated: string[];
let isRefusing: boolean;
/** What an answer to `/slow` waits for. */
let released: Promise<void>;
let release: () => void;
/** The server's end of the connection with the last request that was parsed. */
let parsed: Socket;

/** Lines for the log. */
let told: string[];
/** Makes this Node another one, when it has read the head of a request. */
let otherwise: ((socket: Socket) => void) | undefined;

const noteParsed = (message: unknown): void => {
  parsed = (message as { readonly socket: Socket }).socket;
  otherwise?.(parsed);
};

/** The other protocol: what comes is sent back, between brackets. */
const echo = ({ connection, head }: UpgradedClient): void => {
  connection.write(`switched ${Buffer.from(head).toString()};`);
  connection.on('data', (chunk: Buffer) => connection.write(`[${chunk.toString()}]`));
};

const serve: Serve = async (arriving) => {
  const { path, body } = await withBody(arriving);
  if (path === '/up') return { status: 101, headers: {}, body: '', upgrade: echo };
  const sent = `${path} ${Buffer.from(body).toString()}`;
  served.push(sent);
  if (path === '/slow') await released;
  if (path === '/plain') return { status: 200, headers: {}, body: sent };
  return {
    status: 200,
    headers: { 'x-way': 'served' },
    body: sent,
    again: (next) => {
      if (isRefusing) return undefined;
      repeated.push(Buffer.from(next).toString());
      return {
        status: 200,
        headers: { 'x-way': 'again' },
        body: `ü ${path} ${Buffer.from(next).toString()}`,
      };
    },
  };
};

beforeAll(async () => {
  subscribe('http.server.request.start', noteParsed);
  ca = await createAuthority(Date.now());
  tls = await issueServerCertificate(ca, ['127.0.0.1'], Date.now());
});

afterAll(() => {
  unsubscribe('http.server.request.start', noteParsed);
});

beforeEach(async () => {
  [served, repeated, told, isRefusing, otherwise] = [[], [], [], false, undefined];
  const { limits } = parseHostConfiguration();
  const onError = (error: unknown) => {
    throw error;
  };
  const where = { tls, limits, host: '127.0.0.1', port: 0 };
  listener = await startListener({ serve, ...where, repeats: { onOff: (line) => told.push(line) }, onError });
  socket = connect({ host: '127.0.0.1', port: listener.port, ca: ca.certificate });
  await once(socket, 'secureConnect');
  socket.setNoDelay(true);
});

afterEach(async () => {
  socket.destroy();
  await listener.stop(0);
});

const put = (body: string, more = ''): string =>
  `PUT /beat HTTP/1.1\r\nHost: h\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Reads until so many answers have come, each to its end. */
const answers = async (count: number): Promise<string> => {
  let read = '';
  const isRead = (): boolean => {
    const lengths = [...read.matchAll(/content-length: (\d+)/gi)];
    const ends = [...read.matchAll(/\r\n\r\n/g)];
    const last = ends[count - 1];
    return (
      last !== undefined && Buffer.byteLength(read.slice(last.index + 4)) >= Number(lengths[count - 1]?.[1])
    );
  };
  while (!isRead()) read += String((await once(socket, 'data'))[0]);
  return read;
};

const exchange = async (text: string, count = 1): Promise<string> => {
  const read = answers(count);
  socket.write(text);
  return read;
};

/** The first two requests of a connection: the first opens it for repeats, and the second is the one whose likes are known. */
const begin = async (): Promise<void> => {
  for (const body of ['abc', 'def']) expect(await exchange(put(body))).toContain('x-way: served');
  served = [];
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const another = async (): Promise<TLSSocket> => {
  const other = connect({ host: '127.0.0.1', port: listener.port, ca: ca.certificate });
  await once(other, 'secureConnect');
  return other;
};

it('a request with the head of an earlier one is answered without the server, with its own body', async () => {
  await begin();
  const again = await exchange(put('two'));
  expect(again).toMatch(/^HTTP\/1\.1 200 OK\r\nx-way: again\r\ncontent-length: 12\r\nDate: .* GMT\r\n/);
  expect(again).toMatch(/\r\n\r\nü \/beat two$/);
  expect({ served, repeated }).toEqual({ served: [], repeated: ['two'] });
});

it('what the answer leaves to the ordinary way goes there, and may be repeated afterwards', async () => {
  await begin();
  isRefusing = true;
  expect(await exchange(put('two'))).toContain('x-way: served');
  isRefusing = false;
  expect(await exchange(put('six'))).toContain('x-way: again');
});

it.each([
  ['another header', put('two', 'X-Other: 1\r\n')],
  ['another length', put('three')],
  ['another path', put('two').replace('/beat', '/best')],
  ['another case', put('two').replace('Host', 'host')],
])('%s is another request', async (_name, other) => {
  await begin();
  expect(await exchange(other)).toContain('x-way: served');
});

it('other requests in between do no harm', async () => {
  await begin();
  await exchange('GET /other HTTP/1.1\r\nHost: h\r\n\r\n');
  await exchange('GET /other HTTP/1.1\r\nHost: h\r\n\r\n');
  await exchange(put('two'));
  expect(await exchange(put('six'))).toContain('x-way: again');
  expect({ served, repeated }).toEqual({ served: ['/other '], repeated: ['', 'two', 'six'] });
});

it('a connection without repeatable answers keeps the parser that reads from it directly', async () => {
  const way = (): readonly unknown[] => parsed.listeners('data');
  await exchange('GET /plain HTTP/1.1\r\nHost: h\r\n\r\n');
  const before = way();
  await exchange('GET /plain HTTP/1.1\r\nHost: h\r\n\r\n');
  expect(way()).toEqual(before);
  await exchange(put('one'));
  expect(way()).not.toEqual(before);
});

it('several requests in one chunk are answered in their order, in the ordinary way', async () => {
  await begin();
  await exchange(put('two') + put('six'), 2);
  await exchange(put('ten') + put('six'), 2);
  expect({ served, repeated }).toEqual({
    served: ['/beat two', '/beat six', '/beat ten', '/beat six'],
    repeated: [],
  });
  // The first alone shows where a request begins.
  for (const way of ['served', 'again']) expect(await exchange(put('one'))).toContain(`x-way: ${way}`);
});

it('several requests in the first chunk of a connection are answered in their order', async () => {
  await exchange(put('one') + put('two') + put('six'), 3);
  await exchange(put('ten'));
  expect(await exchange(put('six'))).toContain('x-way: again');
  expect({ served, repeated }).toEqual({
    served: ['/beat one', '/beat two', '/beat six', '/beat ten'],
    repeated: ['six'],
  });
});

it.each([
  ['in its line', 7],
  ['in its headers', put('two').indexOf('h\r\n')],
  ['before its body', put('two').length - 3],
  ['in its body', put('two').length - 1],
])(
  'half a request that the parser has when its connection opens, cut %s, is answered once',
  async (_name, cut) => {
    await exchange(put('one') + put('two').slice(0, cut));
    const rest = put('two').slice(cut);
    expect(await exchange(rest)).toMatch(/\r\n\r\n\/beat two$/);
    for (const body of ['ten', 'six']) await exchange(put(body));
    expect({ served, repeated }).toEqual({
      served: ['/beat one', '/beat two', '/beat ten'],
      repeated: ['six'],
    });
  },
);

it('the rest of a request is its rest, even if it looks like one that is known', async () => {
  await begin();
  const other = await another();
  socket.destroy();
  socket = other;
  const inner = put('two');
  await exchange(`${put('one')}POST /upload HTTP/1.1\r\nHost: h\r\nContent-Length: ${inner.length}\r\n\r\n`);
  expect(await exchange(inner)).toContain(`/upload ${inner}`);
  expect({ served, repeated }).toEqual({ served: ['/beat one', `/upload ${inner}`], repeated: [] });
});

it('a request that begins in the chunk of another one is its own, even if its rest looks like one that is known', async () => {
  await begin();
  const read = answers(2);
  socket.write(`${put('one')}POST /upload HTTP/1.1\r\nX-Line: `);
  await turn();
  socket.write(put('two'));
  expect(await read).toMatch(/\r\n\r\n\/upload two$/);
  expect({ served, repeated }).toEqual({ served: ['/beat one', '/upload two'], repeated: [] });
});

it('the answer of an earlier request comes first, also if it takes longer', async () => {
  await begin();
  ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  const read = answers(2);
  for (const request of ['GET /slow HTTP/1.1\r\nHost: h\r\n\r\n', put('two')]) {
    const isParsed = new Promise<void>((resolve) => {
      otherwise = () => resolve();
    });
    socket.write(request);
    await isParsed;
  }
  release();
  expect(await read).toMatch(/\r\n\r\n\/slow HTTP.*\r\n\r\n\/beat two$/s);
  expect(repeated).toEqual([]);
});

it('a connection that the server has ended gets no answer more', async () => {
  await begin();
  const closed = once(socket, 'close');
  parsed.end();
  parsed.emit('data', Buffer.from(put('two')));
  await closed;
  expect(repeated).toEqual([]);
});

it('the rest of a request is its rest, even if it looks like the last one', async () => {
  await begin();
  const inner = put('two');
  const read = answers(1);
  socket.write(`POST /upload HTTP/1.1\r\nHost: h\r\nContent-Length: ${inner.length}\r\n\r\n`);
  await turn();
  socket.write(inner);
  expect(await read).toContain('x-way: served');
  expect({ served, repeated }).toEqual({ served: [`/upload ${inner}`], repeated: [] });
  expect(await exchange(put('six'))).toContain('x-way: again');
});

it('what was answered on one connection is repeated on another one, after the first requests there', async () => {
  await begin();
  const first = socket;
  socket = await another();
  first.destroy();
  await begin();
  expect(await exchange(put('six'))).toContain('x-way: again');
});

it('a request that Node refuses by itself is no beginning', async () => {
  await begin();
  socket.write(put('two', 'Expect: wonders\r\n'));
  expect(String((await once(socket, 'data'))[0])).toContain('417');
  for (const body of ['ten', 'six']) await exchange(put(body));
  expect({ served, repeated }).toEqual({ served: ['/beat ten'], repeated: ['six'] });
});

it('a client that closes its connection with its request is not asked to keep it', async () => {
  const last = put('two', 'Connection: close\r\n');
  for (let time = 0; time < 2; time += 1) {
    await begin();
    const closed = once(socket, 'close');
    expect(await exchange(last)).toMatch(/Connection: close/i);
    await closed;
    socket = await another();
  }
});

it('a connection that is closed between two requests, or in one, harms no other', async () => {
  await begin();
  socket.write(put('two').slice(0, 30));
  socket.destroy();
  await once(parsed, 'close');
  socket = await another();
  await begin();
  socket.end(put('six'));
  const closed = once(socket, 'close');
  socket.resume();
  await closed;
  expect(repeated).toEqual(['six']);
  socket = await another();
  await begin();
});

it('a connection that answers only repeats is kept and closed by the keep-alive time-out of the server', async () => {
  await begin();
  const { timeout } = parsed;
  await exchange(put('two'));
  expect(await exchange(put('six'))).toContain('x-way: again');
  expect(timeout).toBeGreaterThanOrEqual(90_000);
  expect(parsed.timeout).toBe(timeout);
  const closed = once(socket, 'close');
  parsed.emit('timeout');
  await closed;
});

it('of one request line the last few heads are known', async () => {
  for (const length of [1, 2, 3, 4, 5]) await exchange(put('x'.repeat(length)));
  expect(await exchange(put('yy'))).toContain('x-way: again');
  expect(await exchange(put('y'))).toContain('x-way: served');
});

it.each([
  ['with a head of 9 KB', `X-Long: ${'x'.repeat(9_000)}\r\nContent-Length: 3\r\n`, 'one'],
  ['in pieces', 'Transfer-Encoding: chunked\r\n', '3\r\none\r\n0\r\n\r\n'],
  ['whose head is written in another way', 'X-Odd:  two blanks\r\nContent-Length: 3\r\n', 'one'],
])('a request %s is always served', async (_name, headers, body) => {
  const odd = `PUT /beat HTTP/1.1\r\nHost: h\r\n${headers}\r\n${body}`;
  for (let time = 0; time < 3; time += 1) expect(await exchange(odd)).toContain('x-way: served');
});

it('a client of the agent repeats itself', async () => {
  const url = new URL(`https://127.0.0.1:${listener.port}`);
  const transport = createTransport({ url, ca: ca.certificate, maxSockets: 1 });
  const beat = async (body: string): Promise<string> =>
    text(
      await transport.send({
        method: 'PUT',
        path: '/beat',
        body: Buffer.from(body),
        headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      }),
    );
  for (const body of ['one', 'two', 'six', 'ten']) await beat(body);
  transport.close();
  expect({ served, repeated }).toEqual({ served: ['/beat one', '/beat two'], repeated: ['six', 'ten'] });
});

it.each([
  ['at once', 0],
  ['after its first beat', 1],
  ['after beats that were repeated', 3],
])(
  'what comes on a connection that has left HTTP %s reaches no parser, which may serve another connection by then',
  async (_name, beats) => {
    for (let beat = 0; beat < beats; beat += 1) await exchange(put('abc'));
    [served, repeated] = [[], []];
    socket.write(
      'GET /up HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    let read = '';
    const until = async (text: string): Promise<void> => {
      while (!read.includes(text)) read += String((await once(socket, 'data'))[0]);
    };
    await until('switched ;');
    const other = await another();
    other.write(put('one'));
    await once(other, 'data');
    socket.write(put('two'));
    await until(`[${put('two')}]`);
    other.destroy();
    expect({ served, repeated, read }).toEqual({
      served: ['/beat one'],
      repeated: [],
      read: `switched ;[${put('two')}]`,
    });
  },
);

it.each<[string, RegExp, (socket: Socket) => void]>([
  ['has two readers of a connection', /is not read by one/, (one) => one.on('data', () => undefined)],
  [
    'parses a chunk in a later turn',
    /a request begins without/,
    (one) => {
      const [parse] = one.listeners('data');
      if (!parse || parse.name === 'later' || parse.name === 'onData') return;
      const later = (chunk: Buffer): void => void setImmediate(() => Reflect.apply(parse, one, [chunk]));
      one.removeAllListeners('data').on('data', later);
    },
  ],
])(
  'a Node that %s, although it did not when it was tried, gets all requests, and the log one line',
  async (_name, line, change) => {
    otherwise = change;
    for (let time = 0; time < 5; time += 1) expect(await exchange(put('one'))).toContain('x-way: served');
    otherwise = undefined;
    socket.destroy();
    socket = await another();
    for (let time = 0; time < 5; time += 1) expect(await exchange(put('one'))).toContain('x-way: served');
    expect(repeated).toEqual([]);
    expect(told).toEqual([expect.stringMatching(line)]);
  },
);

it('a connection is closed in order when the server stops', async () => {
  await begin();
  await exchange(put('two'));
  const closed = once(socket, 'close');
  await listener.stop(1_000);
  await closed;
});
