/** HTTPS on this machine: connections, bodies and answers within limits. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { serviceUnavailable } from '../../shared/api/status-error.ts';
import { encodeStatus } from '../../shared/apiserver/answer/encode.ts';
import type { ArrivingRequest } from '../../shared/apiserver/http.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import type { HostLimits } from '../../shared/config/host-limits.ts';
import type { CertifiedKey } from './certificates.ts';
import {
  type ClosingReason,
  type Connection,
  type ConnectionCount,
  type Connections,
  createConnections,
} from './connections.ts';
import { createHandshakes } from './handshakes.ts';
import { createRequestsInHand } from './in-flight.ts';
import { type Bodies, createBodies } from './request-body.ts';
import { type Answers, createAnswers } from './send-body.ts';
import { sendStream } from './send-stream.ts';
import { refuseUnreadable } from './unreadable-request.ts';

export type ListenerLimits = Pick<HostLimits, 'connections' | 'bytes'>;

/** Why something was cut off: a small set, for it becomes a label. */
export type CutReason = ClosingReason | 'answers';

export interface ListenerOptions {
  readonly serve: Serve;
  readonly tls: CertifiedKey;
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly limits: ListenerLimits;
  /** The number of connections has changed. */
  readonly onCount?: (count: ConnectionCount) => void;
  /** A connection was closed because of a limit. */
  readonly onCut?: (reason: CutReason) => void;
  readonly onError: (error: unknown) => void;
}

export interface Listener {
  readonly port: number;
  /** Takes no new request; resolves when those in hand are answered, or after `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

/** Longer than the time between two beats of a slow sender, so that its connection stays. */
const KEEP_ALIVE_MS = 90_000;
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
const HANDSHAKE_MS = 10_000;
/** Milliseconds between two looks for connections whose time is over. */
const LOOK_MS = 2_000;
/** Bytes of all headers: room for tokens that are too long, which are refused with a Status. */
const HEADERS_BYTES = 65_536;

/** Milliseconds after which a silent connection is asked whether its other end is still there. */
const PROBE_MS = 30_000;

/** Connections that wait to be accepted: who finds no place there tries again after seconds only. Linux allows as many by default. */
const BACKLOG = 4_096;
/** Connections beyond the most that are still answered, to be told so; more are closed without a word. */
const REFUSED_CONNECTIONS = 64;
const CROWDED_RETRY_SECONDS = 5;
/** Requests that a client may send on one connection before it has the first answer. No client of Kubernetes sends two. */
const PIPELINED_REQUESTS = 8;

interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  /** Absent when the client has gone already. */
  readonly connection: Connection | undefined;
  /** The client waits for a word before it sends the body. */
  readonly expectsContinue: boolean;
}

interface Parts {
  readonly serve: Serve;
  readonly connections: Connections;
  readonly bodies: Bodies;
  readonly answers: Answers;
  readonly limits: ListenerLimits;
}

const holderOf = ({ connection }: Exchange): string => connection?.sender ?? connection?.address ?? '';

const requestOf = (exchange: Exchange, { connections, bodies }: Parts): ArrivingRequest => {
  const { message, response, signal, connection, expectsContinue } = exchange;
  const url = message.url ?? '';
  const mark = url.indexOf('?');
  return {
    method: message.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    // Only `set-cookie`, which requests do not have, is ever a list.
    headers: message.headers as ArrivingRequest['headers'],
    ...(connection ? { address: connection.address } : {}),
    onSender: (name) => {
      if (connection) connections.identify(connection, name);
    },
    body: () => {
      if (expectsContinue) response.writeContinue();
      return bodies.read(message, holderOf(exchange), signal);
    },
    signal,
  };
};

/** Bytes of a body that nobody wants and that are read all the same, so that the connection can be used again. Go: `net/http`. */
const SKIPPED_BYTES = 262_144;

const canSkipBody = ({ complete, headers }: IncomingMessage): boolean =>
  complete || Number(headers['content-length']) <= SKIPPED_BYTES;

const closingOf = ({ connection }: Exchange) => (connection?.isBrief ? { connection: 'close' } : {});

/** Milliseconds for which a connection stays after an answer that came before the body. Go: `net/http`. */
const LINGER_MS = 500;

/**
 * Closes the connection of a body that nobody wants. At once, with bytes on the way, the client would hear of a broken
 * connection instead of its answer.
 */
const linger = ({ message, response }: Exchange): void => {
  const { socket } = message;
  if (canSkipBody(message)) return;
  response.once('finish', () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
};

/** Refuses the requests of connections that are too many. */
const refusing = (most: number): Serve => {
  const message = `the server has ${most} connections open, which is the most; please try again later`;
  const refusal = serviceUnavailable(message, { retryAfterSeconds: CROWDED_RETRY_SECONDS }).toStatus();
  return async (request) => {
    const response = await encodeStatus(request, refusal);
    return { ...response, headers: { ...response.headers, connection: 'close' } };
  };
};

const answer = async (exchange: Exchange, parts: Parts): Promise<void> => {
  const { message, response, connection } = exchange;
  const serve = connection?.isCrowded ? refusing(parts.limits.connections.all) : parts.serve;
  const { status, headers, body, stream } = await serve(requestOf(exchange, parts));
  linger(exchange);
  if (stream) {
    response.writeHead(status, { ...headers, ...closingOf(exchange) });
    return sendStream(stream, response);
  }
  const length = message.method === 'HEAD' ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length, ...closingOf(exchange) });
  return parts.answers.send(body, response, holderOf(exchange));
};

type SecureServer = ReturnType<typeof createServer>;

const createSecureServer = ({ tls, limits }: ListenerOptions): SecureServer => {
  const server = createServer({
    cert: tls.certificate,
    key: tls.key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: HANDSHAKE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_MS,
    headersTimeout: HEADERS_MS,
    connectionsCheckingInterval: LOOK_MS,
    maxHeaderSize: HEADERS_BYTES,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
  });
  server.maxConnections = limits.connections.all + REFUSED_CONNECTIONS;
  return server;
};

/** Counts connections before anything is done for them, and lets them begin their handshakes in turn. */
const guardDoor = (server: SecureServer, connections: Connections): void => {
  const handshakes = createHandshakes(setImmediate);
  const secure = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const connection = connections.add(socket);
    if (!connection) return;
    const onHello = (): void => connections.waits(connection);
    handshakes.await(socket, onHello, () => {
      connections.begins(connection);
      for (const listener of secure) Reflect.apply(listener, server, [socket]);
    });
  });
};

/** Counts the requests of each connection that are not answered. */
const createPipelines = () => {
  const lengths = new WeakMap<Socket, number>();
  const lengthOf = (socket: Socket): number => lengths.get(socket) ?? 0;
  const add = (socket: Socket, response: ServerResponse): number => {
    const length = lengthOf(socket) + 1;
    lengths.set(socket, length);
    response.once('close', () => lengths.set(socket, lengthOf(socket) - 1));
    return length;
  };
  return { add, lengthOf };
};

/** Serves HTTPS. Throws what `listen` throws, such as EADDRINUSE. */
export const startListener = async (options: ListenerOptions): Promise<Listener> => {
  const { serve, host, port, limits, onError, onCut = () => undefined, onCount = () => undefined } = options;
  const server = createSecureServer(options);
  const connections = createConnections(limits.connections, {
    onClosed: onCut,
    onCount,
    elapsed: () => performance.now(),
  });
  const parts: Parts = {
    serve,
    connections,
    limits,
    bodies: createBodies(limits.bytes),
    answers: createAnswers(limits.bytes.answers, () => onCut('answers')),
  };
  guardDoor(server, connections);
  server.on('drop', () => onCut('all'));
  const inHand = createRequestsInHand();
  const pipelined = createPipelines();

  const take = (message: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void => {
    const { socket } = message;
    if (socket.destroyed) return;
    if (pipelined.add(socket, response) > PIPELINED_REQUESTS) {
      onCut('pipelining');
      socket.destroy();
      return;
    }
    const connection = connections.find(socket);
    const exchange = { message, response, signal: inHand.add(response), connection, expectsContinue };
    answer(exchange, parts).catch((error: unknown) => {
      // Whoever hung up in the middle of a request wants no answer.
      if (!message.destroyed) onError(error);
      response.destroy();
    });
  };
  server.on('request', (message, response) => take(message, response, false));
  server.on('clientError', (error, socket: Socket) =>
    refuseUnreadable(error, socket, pipelined.lengthOf(socket) > 0),
  );
  server.on('checkContinue', (message, response) => take(message, response, true));
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening');
  const address = server.address();
  const stop = async (withinMs: number): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    // Connections that become idle from now on would be kept for the next request.
    void inHand.end().then(() => server.closeIdleConnections());
    const timer = setTimeout(() => server.closeAllConnections(), withinMs);
    await closed;
    clearTimeout(timer);
  };
  return {
    port: typeof address === 'object' && address ? address.port : port,
    stop,
  };
};
