/** Channels that nodes open, and streams over them: for nodes to which nobody can connect. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import type { HttpResponse, RequestHead, UpgradedClient } from '../../apiserver/contract/http.ts';
import { notFound } from '../../kube/errors/status-error.ts';

/** Milliseconds that a node gets to open the channel, and then the stream: its next beat tells it. */
const CHANNEL_MS = 15_000;
const PING_MS = 30_000;
/** The node says nothing on a channel; its streams carry TLS records of at most 16 KB. */
const [MOST_OF_CHANNEL, MOST_OF_STREAM] = [1_024, 1_048_576];

export interface ChannelNode {
  readonly name: string;
  readonly uid: string;
}

/** The channels of all nodes. */
export interface Channels {
  /** A stream to the node. `announce` asks it for a channel if it has none. Rejects if it opens none in time. */
  open(node: ChannelNode, announce: () => Promise<void>, signal: AbortSignal): Promise<Duplex>;
  /** Takes a connection of the node: its channel (`stream` is empty), or a stream that it was asked for. Throws 404 for another one. */
  accept(node: ChannelNode, stream: string, request: Pick<RequestHead, 'headers'>): HttpResponse;
}

const serverFor = (maxPayload: number): WebSocketServer =>
  new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false, clientTracking: false });

/** Ends a channel whose node answers no ping. */
const keepAlive = (channel: WebSocket): void => {
  let isHeard = true;
  channel.on('pong', () => {
    isHeard = true;
  });
  const timer = setInterval(() => {
    if (!isHeard) channel.terminate();
    isHeard = false;
    channel.ping();
  }, PING_MS);
  timer.unref();
  channel.once('close', () => clearInterval(timer));
};

/** Who waits for something with a key: resolved once, by the first that comes. */
const createWaiting = <T>() => {
  const waiting = new Map<string, Set<(value: T) => void>>();
  return {
    has: (key: string): boolean => waiting.has(key),
    /** Rejects after `ms`, or with the reason of the signal. */
    until: (key: string, ms: number, signal: AbortSignal): Promise<T> =>
      new Promise((resolve, reject) => {
        const one = (value: T): void => {
          leave();
          resolve(value);
        };
        const fail = (): void => {
          leave();
          reject(signal.aborted ? (signal.reason as Error) : new Error(`none within ${ms / 1000} s`));
        };
        const timer = setTimeout(fail, ms);
        const leave = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', fail);
          const group = waiting.get(key);
          group?.delete(one);
          if (group?.size === 0) waiting.delete(key);
        };
        waiting.set(key, (waiting.get(key) ?? new Set()).add(one));
        signal.addEventListener('abort', fail, { once: true });
      }),
    come: (key: string, value: T): void => {
      for (const one of [...(waiting.get(key) ?? [])]) one(value);
    },
  };
};

/** Milliseconds after which a node that has not come is called once more. Each call is a write. */
const CALL_MS = 60_000;

/** Calls a node at most once a minute while it does not come. */
const createCalls = () => {
  const calledAt = new Map<string, number>();
  return {
    once: async (uid: string, call: () => Promise<void>): Promise<void> => {
      const now = performance.now();
      for (const [one, at] of calledAt) if (now - at >= CALL_MS) calledAt.delete(one);
      if (calledAt.has(uid)) return;
      calledAt.set(uid, now);
      try {
        await call();
      } catch (error) {
        calledAt.delete(uid);
        throw error;
      }
    },
    forget: (uid: string): void => void calledAt.delete(uid),
  };
};

const asMessage = ({ headers }: Pick<RequestHead, 'headers'>): IncomingMessage =>
  ({ method: 'GET', headers }) as unknown as IncomingMessage;

/** Speaks WebSocket on a connection, until it ends or the server stops. */
const upgradeWith =
  (server: WebSocketServer, request: Pick<RequestHead, 'headers'>, take: (socket: WebSocket) => void) =>
  ({ connection, head, signal }: UpgradedClient): void => {
    server.handleUpgrade(asMessage(request), connection, Buffer.from(head), (socket) => {
      socket.on('error', () => undefined);
      const stop = (): void => socket.terminate();
      signal.addEventListener('abort', stop, { once: true });
      take(socket);
    });
  };

const response = (upgrade: NonNullable<HttpResponse['upgrade']>): HttpResponse => ({
  status: 101,
  headers: {},
  body: '',
  upgrade,
});

/** One channel for each node; a newer one takes the place of an older one. */
export const createChannels = (waitMs = CHANNEL_MS): Channels => {
  const channels = new Map<string, WebSocket>();
  const calls = createCalls();
  const arrivals = createWaiting<WebSocket>();
  const streams = createWaiting<Duplex>();
  const [forChannels, forStreams] = [serverFor(MOST_OF_CHANNEL), serverFor(MOST_OF_STREAM)];

  const keep = ({ uid }: ChannelNode, channel: WebSocket): void => {
    channels.get(uid)?.close();
    channels.set(uid, channel);
    keepAlive(channel);
    channel.once('close', () => {
      if (channels.get(uid) !== channel) return;
      channels.delete(uid);
      calls.forget(uid);
    });
    arrivals.come(uid, channel);
  };

  const channelTo = async ({ uid }: ChannelNode, announce: () => Promise<void>, signal: AbortSignal) => {
    const there = channels.get(uid);
    if (there) return there;
    const coming = arrivals.until(uid, waitMs, signal);
    // A failed announcement must not leave a rejection that nobody hears.
    coming.catch(() => undefined);
    await calls.once(uid, announce);
    return coming;
  };

  return {
    open: async (node, announce, signal) => {
      const channel = await channelTo(node, announce, signal);
      const id = randomUUID();
      const coming = streams.until(`${node.uid} ${id}`, waitMs, signal);
      channel.send(JSON.stringify({ open: id }));
      coming.catch(() => {
        // A line that was cut without a word is found by pings only after a minute. Streams that are open go on.
        if (!signal.aborted) channel.terminate();
      });
      return coming;
    },
    accept: (node, stream, request) => {
      if (stream === '') return response(upgradeWith(forChannels, request, (socket) => keep(node, socket)));
      const key = `${node.uid} ${stream}`;
      if (!streams.has(key)) throw notFound({ resource: 'channels', name: stream });
      const take = (socket: WebSocket): void => {
        const duplex = createWebSocketStream(socket).on('error', () => undefined);
        if (streams.has(key)) streams.come(key, duplex);
        else duplex.destroy();
      };
      return response(upgradeWith(forStreams, request, take));
    },
  };
};
