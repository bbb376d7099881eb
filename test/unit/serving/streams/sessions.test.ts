import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeStatus } from '../../../../shared/apiserver/answer/encode.ts';
import type { NodeSession } from '../../../../shared/apiserver/contract/session.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import {
  type CertifiedKey,
  createAuthority,
  issueServerCertificate,
} from '../../../../shared/serving/http/certificates.ts';
import { type Listener, startListener } from '../../../../shared/serving/http/listener.ts';
import { createDirectReach } from '../../../../shared/serving/streams/reach.ts';
import {
  createSessionPlaces,
  type SessionPlaces,
} from '../../../../shared/serving/streams/session-places.ts';
import { createSessions } from '../../../../shared/serving/streams/sessions.ts';
import {
  parseHostConfiguration,
  sessionLimitsOf,
} from '../../../../shared/settings/host/host-configuration.ts';
import type { SessionLimits } from '../../../../shared/settings/host/host-limits.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import {
  type FakeNodeOptions,
  type FakeNodeServer,
  startFakeNodeServer,
} from '../../../support/servers/fake-node-server.ts';

let ca: CertifiedKey;
let tls: CertifiedKey;
const ends: (() => unknown)[] = [];
const LIMITS = parseHostConfiguration().limits;

beforeAll(async () => {
  ca = await createAuthority(Date.now());
  tls = await issueServerCertificate(ca, ['127.0.0.1'], Date.now());
});

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

const sessionTo = (
  endpoint: Partial<NodeSession['endpoint']> & { readonly port: number; readonly fingerprint: string },
): NodeSession => ({
  node: { name: 'n1', uid: 'u1' },
  endpoint: { addresses: ['127.0.0.1'], ...endpoint },
  target: { path: '/containerLogs/ns/x/c', query: '' },
  token: 'session-token',
  user: 'admin',
});

interface Told {
  readonly open: number[];
  readonly failures: number[];
}

const SESSION_LIMITS = sessionLimitsOf({});

interface World {
  readonly told: Told;
  readonly node: FakeNodeServer;
  readonly listener: Listener;
  readonly places: SessionPlaces;
}

type Change = (session: NodeSession) => NodeSession;

/** A control plane that connects each request with the fake node: the query of the request is the node's. */
const worldOf = async (
  options: FakeNodeOptions = {},
  change: Change = (same) => same,
  limits: SessionLimits = SESSION_LIMITS,
): Promise<World> => {
  const node = await startFakeNodeServer(options);
  const places = createSessionPlaces(limits);
  const told: Told = { open: [], failures: [] };
  const sessions = createSessions({
    reach: createDirectReach(),
    places,
    idleMs: limits.idleMs,
    onOpen: (count) => told.open.push(count),
    onFailure: (code) => told.failures.push(code),
  });
  const listener = await startListener({
    tls,
    limits: LIMITS,
    host: '127.0.0.1',
    port: 0,
    onError: () => undefined,
    serve: async (sent) => {
      const session = change(sessionTo(node));
      const target = { ...session.target, query: String(sent.query) };
      try {
        return await sessions.open({ ...session, target }, sent);
      } catch (error) {
        if (error instanceof StatusError) return encodeStatus(sent, error.toStatus());
        throw error;
      }
    },
  });
  ends.push(() => listener.stop(0), node.close);
  return { node, listener, places, told };
};

const send = ({ listener }: World, path = '/', headers: Record<string, string> = {}) => {
  const sent = request({
    host: '127.0.0.1',
    port: listener.port,
    ca: ca.certificate,
    path,
    headers,
    agent: false,
  }).end();
  sent.on('error', () => undefined);
  ends.push(() => sent.destroy());
  return sent;
};

const answerTo = async (
  world: World,
  path = '/',
  headers: Record<string, string> = {},
): Promise<IncomingMessage> => {
  const sent = send(world, path, headers);
  const [response] = (await Promise.race([
    once(sent, 'response'),
    once(sent, 'error').then(([error]) => Promise.reject(error as Error)),
  ])) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
};

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-protocol': 'v5.channel.k8s.io',
};

const upgraded = async (
  world: World,
): Promise<{ readonly head: IncomingMessage; readonly stream: Duplex; readonly first: Buffer }> => {
  const [head, stream, first] = (await once(send(world, '/', UPGRADE), 'upgrade')) as [
    IncomingMessage,
    Duplex,
    Buffer,
  ];
  stream.on('error', () => undefined);
  return { head, stream, first };
};

const messageOf = async (response: IncomingMessage) => {
  const { code, message } = JSON.parse(await text(response));
  return [code, message];
};

const allGone = ({ node, places }: World): Promise<true> =>
  eventually(
    'all connections and places are gone',
    10_000,
    async () => node.open.size + places.taken() === 0 || undefined,
  );

describe('a session whose answer is a body', () => {
  it('has the status, the type and the bytes of the node, which sees the token of the session only', async () => {
    const world = await worldOf();
    const response = await answerTo(world, '/?tailLines=2', {
      authorization: 'Bearer of-the-client',
      cookie: 'c',
    });
    expect([response.statusCode, response.headers['content-type'], response.headers['x-of-node']]).toEqual([
      200,
      'text/plain',
      undefined,
    ]);
    expect(await text(response)).toBe('line 1\nline 2\n');
    expect(world.node.asked).toMatchObject([
      {
        line: 'GET /containerLogs/ns/x/c?tailLines=2',
        headers: { authorization: 'Bearer session-token', host: 'n1' },
      },
    ]);
    expect(world.node.asked[0]?.headers.cookie).toBeUndefined();
    await allGone(world);
  });

  it('passes each piece when it comes; when the client goes, the node’s connection goes', async () => {
    const world = await worldOf();
    const response = await answerTo(world, '/?follow=true');
    const [first] = await once(response, 'data');
    expect(String(first)).toBe('line 1\n');
    world.node.following[0]?.write('line 2\n');
    expect(String((await once(response, 'data'))[0])).toBe('line 2\n');
    expect(world.places.taken()).toBe(1);
    response.destroy();
    await allGone(world);
  });

  it('ends as a whole when the server stops, and as a broken one when the node breaks', async () => {
    const world = await worldOf();
    const [stopped, broken] = [
      await answerTo(world, '/?follow=true'),
      await answerTo(world, '/?follow=true'),
    ];
    await Promise.all([once(stopped, 'data'), once(broken, 'data')]);
    const aborted = once(broken, 'aborted');
    world.node.following[1]?.socket?.destroy();
    await aborted;
    const ended = once(stopped, 'end');
    await world.listener.stop(5_000);
    await ended;
    expect(stopped.complete).toBe(true);
    await allGone(world);
  });

  it('passes the refusal of a node', async () => {
    const response = await answerTo(await worldOf({ manner: 'refusal' }));
    expect(await messageOf(response)).toEqual([403, 'no']);
  });
});

describe('a session whose answer is an upgrade', () => {
  it('passes the head of the node and the bytes of both ends', async () => {
    const world = await worldOf();
    const { head, stream, first } = await upgraded(world);
    expect(head.headers).toMatchObject({ upgrade: 'websocket', 'x-echo': 'yes' });
    expect(world.node.asked[0]?.headers).toMatchObject({
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-protocol': 'v5.channel.k8s.io',
      authorization: 'Bearer session-token',
    });
    let got = String(first);
    stream.on('data', (chunk) => {
      got += String(chunk);
    });
    stream.write('to the node');
    await eventually('the echo', 5_000, async () => got === 'hello to the node' || undefined);
    stream.end();
    await once(stream, 'close');
    await allGone(world);
  });

  it('passes a megabyte to a slow reader, and loses none when the sender ends', async () => {
    const world = await worldOf();
    const { stream } = await upgraded(world);
    stream.end(Buffer.alloc(4_000_000, 7));
    let size = 0;
    for await (const chunk of stream) size += (chunk as Buffer).length;
    expect(size).toBeGreaterThanOrEqual(4_000_000);
    await allGone(world);
  });

  it('ends with the client, with the node, and with the server', async () => {
    const world = await worldOf();
    const [a, b, c] = [await upgraded(world), await upgraded(world), await upgraded(world)];
    a.stream.destroy();
    await eventually('the place of a', 5_000, async () => world.places.taken() === 2 || undefined);
    const closed = Promise.all([b, c].map(({ stream }) => once(stream.resume(), 'close')));
    for (const socket of world.node.open) socket.destroy();
    await closed;
    await allGone(world);
    const d = await upgraded(world);
    const gone = once(d.stream.resume(), 'close');
    await world.listener.stop(5_000);
    await gone;
    await allGone(world);
  });

  it('is answered by HTTP if the node refuses it', async () => {
    const response = await answerTo(await worldOf({ manner: 'refusal' }), '/', UPGRADE);
    expect(await messageOf(response)).toEqual([403, 'no']);
  });

  it('another protocol than those of streams is none: the request is answered as without it', async () => {
    const world = await worldOf();
    const response = await answerTo(world, '/', { connection: 'Upgrade', upgrade: 'h2c' });
    expect(await text(response)).toBe('line 1\nline 2\n');
  });
});

const silent = async (): Promise<number> => {
  const server: Server = createServer((socket: Socket) => socket.on('error', () => undefined));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
};

describe('a node that cannot be used', () => {
  it('J-185: one with another certificate gets no request', async () => {
    const world = await worldOf({}, (session) => ({
      ...session,
      endpoint: { ...session.endpoint, fingerprint: 'ab'.repeat(32) },
    }));
    const [code, message] = await messageOf(await answerTo(world));
    expect(code).toBe(504);
    expect(message).toMatch(
      /^node n1 cannot be reached \(127\.0\.0\.1:\d+: its server shows another certificate than the node has told/,
    );
    expect(world.node.asked).toEqual([]);
    await allGone(world);
  });

  it('all of its addresses are tried', async () => {
    const world = await worldOf({}, (session) => ({
      ...session,
      endpoint: { ...session.endpoint, addresses: ['127.0.0.2', '127.0.0.1'] },
    }));
    expect((await answerTo(world)).statusCode).toBe(200);
  });

  it('one that refuses connections, or has no address, is named with the reason', async () => {
    const refused = await worldOf({}, (session) => ({
      ...session,
      endpoint: { ...session.endpoint, port: 1 },
    }));
    expect(await messageOf(await answerTo(refused))).toEqual([
      504,
      'node n1 cannot be reached (127.0.0.1:1: ECONNREFUSED)',
    ]);
    const nowhere = await worldOf({}, (session) => ({
      ...session,
      endpoint: { ...session.endpoint, addresses: [] },
    }));
    expect(await messageOf(await answerTo(nowhere))).toEqual([
      504,
      'node n1 cannot be reached (it has no address)',
    ]);
  });

  it('one that never says a word is given up', async () => {
    const port = await silent();
    const world = await worldOf({}, (session) => ({ ...session, endpoint: { ...session.endpoint, port } }));
    expect(await messageOf(await answerTo(world))).toEqual([
      504,
      expect.stringContaining('no TLS handshake within 5 s'),
    ]);
    await allGone(world);
  }, 20_000);

  it.each(['/', '/upgrade'])('one that answers no HTTP is named (%s)', async (path) => {
    const world = await worldOf({ manner: 'garbage' });
    const [code, message] = await messageOf(await answerTo(world, path, path === '/' ? {} : UPGRADE));
    expect([code, message]).toEqual([
      500,
      expect.stringContaining('node n1 was reached, and did not answer (HPE_'),
    ]);
    await allGone(world);
  });

  it('a client that goes while the node is silent leaves nothing', async () => {
    const world = await worldOf({ manner: 'silence' });
    const sent = send(world);
    await eventually('the node is asked', 5_000, async () => world.node.asked.length > 0 || undefined);
    sent.destroy();
    await allGone(world);
  });
});

describe('limits', () => {
  it('one session too many of a user, of a node or of all gets 429; after an end there is room', async () => {
    const world = await worldOf({}, undefined, { ...SESSION_LIMITS, perIdentity: 2 });
    const first = await answerTo(world, '/?follow=true');
    const second = await answerTo(world, '/?follow=true');
    const refused = await answerTo(world);
    expect(refused.headers['retry-after']).toBe('5');
    expect(await messageOf(refused)).toEqual([
      429,
      'admin has 2 sessions with nodes open, which is the limit; please end some',
    ]);
    first.destroy();
    await eventually('a place', 5_000, async () => world.places.taken() === 1 || undefined);
    expect((await answerTo(world)).statusCode).toBe(200);
    second.destroy();
    await allGone(world);
    expect([world.told.open.at(0), Math.max(...world.told.open), world.told.open.at(-1)]).toEqual([1, 2, 0]);
    expect(world.told.failures).toEqual([429]);
  });

  it.each([
    [{ all: 1, perNode: 9, perIdentity: 9 }, 'the server has 1 sessions'],
    [{ all: 9, perNode: 1, perIdentity: 9 }, 'the node has 1 sessions'],
  ])('%j', (limits, message) => {
    const places = createSessionPlaces(limits);
    const session = { node: { name: 'n', uid: 'u' }, user: 'a' };
    const leave = places.take(session);
    expect(() => places.take({ ...session, user: 'b' })).toThrow(message);
    leave();
    places.take(session)();
    expect(places.taken()).toBe(0);
  });

  it('10,000 sessions at once: all beyond the limit are refused, and take nothing', () => {
    const places = createSessionPlaces(SESSION_LIMITS);
    const codes = Array.from({ length: 10_000 }, (_, n) => {
      try {
        places.take({ node: { name: 'n', uid: `u${n % 50}` }, user: `user-${n % 100}` });
        return 200;
      } catch (error) {
        return error instanceof StatusError ? error.code : 0;
      }
    });
    expect(codes.filter((code) => code === 200)).toHaveLength(SESSION_LIMITS.all);
    expect(codes.filter((code) => code === 429)).toHaveLength(10_000 - SESSION_LIMITS.all);
  });
});
