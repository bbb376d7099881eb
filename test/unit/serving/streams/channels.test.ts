import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeStatus } from '../../../../shared/apiserver/answer/encode.ts';
import type { ArrivingRequest } from '../../../../shared/apiserver/contract/http.ts';
import type { NodeSession } from '../../../../shared/apiserver/contract/session.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import {
  type CertifiedKey,
  createAuthority,
  issueServerCertificate,
} from '../../../../shared/serving/http/certificates.ts';
import { type Listener, startListener } from '../../../../shared/serving/http/listener.ts';
import { createChannels } from '../../../../shared/serving/streams/channels.ts';
import { createReach } from '../../../../shared/serving/streams/reach.ts';
import { createSessionPlaces } from '../../../../shared/serving/streams/session-places.ts';
import { createSessions } from '../../../../shared/serving/streams/sessions.ts';
import {
  parseHostConfiguration,
  sessionLimitsOf,
} from '../../../../shared/settings/host/host-configuration.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { type FakeChannel, openFakeChannel } from '../../../support/servers/fake-agent-channel.ts';
import { type FakeNodeServer, startFakeNodeServer } from '../../../support/servers/fake-node-server.ts';

let ca: CertifiedKey;
let tls: CertifiedKey;
const ends: (() => unknown)[] = [];
const NODE = { name: 'n1', uid: 'u1' };
/** Nobody listens there. */
const REFUSED = 1;

beforeAll(async () => {
  ca = await createAuthority(Date.now());
  tls = await issueServerCertificate(ca, ['127.0.0.1'], Date.now());
});

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

interface Announcements {
  count: number;
  /** What the node does about it. */
  act: () => Promise<unknown>;
}

const behindNat = async ({
  waitMs = 10_000,
  fingerprint,
}: {
  waitMs?: number;
  fingerprint?: string;
} = {}) => {
  const node: FakeNodeServer = await startFakeNodeServer();
  const limits = sessionLimitsOf({});
  const places = createSessionPlaces(limits);
  const channels = createChannels(waitMs);
  const announced: Announcements = { count: 0, act: async () => undefined };
  const announce = async () => {
    announced.count += 1;
    await announced.act();
  };
  const reach = createReach({ channels, announce, elapsed: () => performance.now() });
  const sessions = createSessions({ reach, places, idleMs: limits.idleMs, channels });
  const session: NodeSession = {
    node: NODE,
    endpoint: { addresses: ['127.0.0.1'], port: REFUSED, fingerprint: fingerprint ?? node.fingerprint },
    target: { path: '/containerLogs/ns/x/c', query: '' },
    token: 't',
    user: 'admin',
  };
  const answer = (sent: ArrivingRequest) => {
    const [, kind, stream = ''] = sent.path.split('/');
    if (kind === 'channel') return sessions.accept(NODE, stream, sent);
    return sessions.open({ ...session, target: { ...session.target, query: String(sent.query) } }, sent);
  };
  const listener: Listener = await startListener({
    tls,
    limits: parseHostConfiguration().limits,
    host: '127.0.0.1',
    port: 0,
    onError: () => undefined,
    serve: async (sent) => {
      try {
        return await answer(sent);
      } catch (error) {
        if (error instanceof StatusError) return encodeStatus(sent, error.toStatus());
        throw error;
      }
    },
  });
  const opened: FakeChannel[] = [];
  const connect = async (isLazy = false): Promise<FakeChannel> => {
    const url = `https://127.0.0.1:${listener.port}/channel`;
    const channel = await openFakeChannel(node, { url, ca: ca.certificate, isLazy });
    opened.push(channel);
    return channel;
  };
  announced.act = connect;
  ends.push(
    () => listener.stop(0),
    node.close,
    () => {
      for (const channel of opened) channel.close();
    },
  );
  return { node, listener, announced, connect, opened, places };
};

type World = Awaited<ReturnType<typeof behindNat>>;

const send = ({ listener }: World, path = '/', headers: Record<string, string> = {}) => {
  const sent = request({
    host: '127.0.0.1',
    port: listener.port,
    ca: ca.certificate,
    path,
    headers,
    agent: false,
  });
  sent.on('error', () => undefined).end();
  ends.push(() => sent.destroy());
  return sent;
};

const answerTo = async (world: World, path = '/', headers = {}): Promise<IncomingMessage> =>
  ((await once(send(world, path, headers), 'response')) as [IncomingMessage])[0].on('error', () => undefined);

const messageOf = async (response: IncomingMessage): Promise<readonly [number, string]> => {
  const { code, message } = JSON.parse(await text(response));
  return [code, message];
};

const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket' };

describe('a node behind NAT', () => {
  it('is asked for a channel once, and all that follows goes through it', async () => {
    const world = await behindNat();
    const answers = await Promise.all([answerTo(world), answerTo(world), answerTo(world)]);
    expect(await Promise.all(answers.map(text))).toEqual(Array(3).fill('line 1\nline 2\n'));
    expect(await text(await answerTo(world))).toBe('line 1\nline 2\n');
    expect([world.announced.count, world.opened.length]).toEqual([1, 1]);
    await eventually('all is given back', 5_000, async () => world.places.taken() === 0 || undefined);
  });

  it('passes upgrades and large amounts of bytes', async () => {
    const world = await behindNat();
    const [, stream] = (await once(send(world, '/', UPGRADE), 'upgrade')) as [IncomingMessage, Duplex];
    stream.on('error', () => undefined);
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    stream.write(Buffer.alloc(3_000_000, 7));
    await eventually('the echo', 15_000, async () => size >= 3_000_000 || undefined);
    stream.destroy();
    await eventually('all is given back', 5_000, async () => world.places.taken() === 0 || undefined);
  });

  it('a follow ends with the client, and with the channel’s stream', async () => {
    const world = await behindNat();
    const [left, cut] = [await answerTo(world, '/?follow=true'), await answerTo(world, '/?follow=true')];
    await Promise.all([once(left, 'data'), once(cut, 'data')]);
    left.destroy();
    await eventually('the place of the first', 5_000, async () => world.places.taken() === 1 || undefined);
    const aborted = once(cut, 'aborted');
    world.opened[0]?.close();
    await aborted;
    await eventually('all is given back', 5_000, async () => world.places.taken() === 0 || undefined);
  });

  it('is asked again when its channel has gone', async () => {
    const world = await behindNat();
    expect((await answerTo(world)).statusCode).toBe(200);
    world.opened[0]?.close();
    await eventually('a second channel', 10_000, async () => {
      const { statusCode } = await answerTo(world);
      return (statusCode === 200 && world.opened.length === 2) || undefined;
    });
  });

  it('that opens no channel, or not the stream, is given up with both reasons', async () => {
    const world = await behindNat({ waitMs: 300 });
    world.announced.act = async () => undefined;
    const expected = [
      504,
      'node n1 cannot be reached (127.0.0.1:1: ECONNREFUSED; by a channel of its agent: none within 0.3 s)',
    ];
    expect(await messageOf(await answerTo(world))).toEqual(expected);
    await world.connect(true);
    expect(await messageOf(await answerTo(world))).toEqual(expected);
    expect(world.places.taken()).toBe(0);
  });

  it('is asked for another channel when no stream comes by the one it has', async () => {
    const world = await behindNat({ waitMs: 1_000 });
    await world.connect(true);
    expect((await answerTo(world)).statusCode).toBe(504);
    expect((await answerTo(world)).statusCode).toBe(200);
    expect([world.announced.count, world.opened.length]).toEqual([1, 2]);
  });

  it('J-185: is known by its certificate there, too', async () => {
    const world = await behindNat({ fingerprint: 'ab'.repeat(32) });
    const [code, message] = await messageOf(await answerTo(world));
    expect([code, world.node.asked]).toEqual([504, []]);
    expect(message).toContain('another certificate');
  });

  it('a stream that nobody asked for is refused', async () => {
    const world = await behindNat();
    await world.connect();
    const response = await answerTo(world, '/channel/other', {
      ...UPGRADE,
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    });
    expect(await messageOf(response)).toEqual([404, 'channels "other" not found']);
  });

  it('a channel ends when the server stops', async () => {
    const world = await behindNat();
    const { socket } = await world.connect();
    const closed = once(socket, 'close');
    await world.listener.stop(5_000);
    await closed;
  });
});
