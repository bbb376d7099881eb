/** The agent's server: HTTPS/1.1 with a kubelet's paths, for requests that the control plane has permitted. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../ports/machine/shutdown.ts';
import { nodePath } from '../rules/server/node-path.ts';
import type { TokenCheck } from './check-token.ts';
import {
  faultAnswer,
  type NodeAnswer,
  NodeFault,
  type NodeHandlers,
  statusAnswer,
} from './contract/handlers.ts';

export interface NodeServerOptions {
  readonly address: string;
  /** 0: any free one. If another one is taken, any free one counts. */
  readonly port: number;
  /** Key and certificate, PEM. */
  readonly pem: string;
  readonly check: TokenCheck;
  readonly handlers: NodeHandlers;
  /** After this time without a byte a session is ended, ms. */
  readonly idleMs: number;
  readonly log: Log;
}

export interface NodeServer {
  readonly port: number;
  /** Takes a connection that came another way. */
  accept(connection: Duplex): void;
  /** Ends all requests and sessions. */
  close(): void;
}

/** A command is a part of the path, and may be long. */
const MOST_HEADER_BYTES = 256 * 1024;
const HEADERS_MS = 20_000;
/** How often a silent client is asked whether it is still there (ms). */
const KEEP_ALIVE_MS = 30_000;
const MOST_CONNECTIONS = 512;
/** Sessions and answers at one time. */
const MOST_REQUESTS = 256;

interface Asked {
  readonly path: string;
  readonly query: string;
}

const askedOf = ({ url = '/' }: IncomingMessage): Asked => {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
};

const send = async (response: ServerResponse, { status, headers, body }: NodeAnswer): Promise<void> => {
  response.writeHead(status, headers);
  if (typeof body === 'string') response.end(body);
  else {
    response.flushHeaders();
    await pipeline(Readable.from(body, { objectMode: true, highWaterMark: 1 }), response);
  }
};

const refusal = (fault: string): NodeAnswer => statusAnswer(401, 'Unauthorized', `Unauthorized: ${fault}`);

const sendRaw = (socket: Duplex, { status, headers, body }: NodeAnswer): void => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = typeof body === 'string' ? body : '';
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      ...lines,
      `content-length: ${Buffer.byteLength(text)}`,
      'connection: close',
      '',
      text,
    ].join('\r\n'),
  );
};

/** The answer of a request that needs no upgrade. */
const answer = async (
  { check, handlers }: NodeServerOptions,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<NodeAnswer> => {
  const { path, query } = askedOf(request);
  const found = nodePath(path);
  if (found.kind === 'health')
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok' };
  const fault = await check({ authorization: request.headers.authorization, path, query });
  if (fault !== undefined) return refusal(fault);
  const asked = { path, query: new URLSearchParams(query), signal };
  const page = handlers.pages[path];
  if (found.kind === 'other' && !page) throw new NodeFault(404, '404 page not found');
  if (request.method !== 'GET') throw new NodeFault(405, '405: Method Not Allowed');
  if (page) return page(asked);
  if (found.kind === 'logs') return handlers.logs(asked, found);
  throw new NodeFault(400, 'unable to upgrade: missing upgrade headers in request');
};

/** Aborts when the connection is over, or the server is. */
const untilGone = (connection: Duplex | ServerResponse, stop: AbortSignal): AbortSignal => {
  const gone = new AbortController();
  const end = (): void => {
    stop.removeEventListener('abort', end);
    gone.abort();
  };
  connection.once('close', end);
  stop.addEventListener('abort', end, { once: true });
  return gone.signal;
};

const listen = (server: Server, port: number, address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve();
    });
  });

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** Several agents may be on one machine. */
const listenSomewhere = async (server: Server, { port, address, log }: NodeServerOptions): Promise<void> => {
  try {
    await listen(server, port, address);
  } catch (error) {
    if (!isTaken(error)) throw error;
    await listen(server, 0, address);
    const { port: given } = server.address() as AddressInfo;
    log(`port ${port} is taken: logs and exec are served on port ${given}`);
  }
};

const tlsOptions = ({ pem }: NodeServerOptions) => ({
  key: pem,
  cert: pem,
  minVersion: 'TLSv1.2' as const,
  maxHeaderSize: MOST_HEADER_BYTES,
  headersTimeout: HEADERS_MS,
  keepAliveInitialDelay: KEEP_ALIVE_MS,
  keepAlive: true,
  noDelay: true,
});

/** Destroys the connection of an upgraded request when it is idle for `idleMs`. */
const destroyWhenIdle = (socket: Duplex, idleMs: number): void => {
  if ('setTimeout' in socket)
    (socket as Duplex & { setTimeout(ms: number, then: () => void): void }).setTimeout(idleMs, () =>
      socket.destroy(),
    );
};

/** Rejects if it cannot listen. */
export const startNodeServer = async (options: NodeServerOptions): Promise<NodeServer> => {
  const stop = new AbortController();
  const sessions = new Set<Duplex>();
  let requests = 0;
  const counted = async (work: () => Promise<void>): Promise<void> => {
    requests += 1;
    try {
      await work();
    } finally {
      requests -= 1;
    }
  };
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    const signal = untilGone(response, stop.signal);
    if (requests >= MOST_REQUESTS)
      return send(response, statusAnswer(429, 'TooManyRequests', 'too many requests to this node'));
    await counted(async () =>
      send(response, await answer(options, request, signal).catch((error: unknown) => faultAnswer(error))),
    );
  };
  const onUpgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const { path, query } = askedOf(request);
    const found = nodePath(path);
    const { authorization } = request.headers;
    if (requests >= MOST_REQUESTS) throw new NodeFault(429, 'too many sessions on this node');
    const fault = await options.check({ authorization, path, query });
    // Nobody would hear any more that it has gone.
    if (socket.destroyed) return;
    if (fault !== undefined) return sendRaw(socket, refusal(fault));
    if (found.kind !== 'exec' && found.kind !== 'attach' && found.kind !== 'portForward')
      throw new NodeFault(404, '404 page not found');
    const signal = untilGone(socket, stop.signal);
    await counted(() =>
      options.handlers.upgrade({
        request,
        socket,
        head,
        path: found,
        query: new URLSearchParams(query),
        signal,
      }),
    );
  };
  const server = createTlsServer(tlsOptions(options));
  server.maxConnections = MOST_CONNECTIONS;
  server.on('request', (request, response) => {
    // A client that goes away while it is answered is no fault.
    onRequest(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket, head) => {
    sessions.add(socket);
    socket.once('close', () => sessions.delete(socket));
    socket.on('error', () => {});
    destroyWhenIdle(socket, options.idleMs);
    onUpgrade(request, socket, head).catch((error: unknown) => {
      if (socket.writable) sendRaw(socket, faultAnswer(error));
    });
  });
  server.on('tlsClientError', (_, socket) => socket.destroy());
  await listenSomewhere(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    accept: (connection) => void server.emit('connection', connection),
    close: () => {
      stop.abort();
      server.close();
      server.closeAllConnections();
      for (const session of sessions) session.destroy();
    },
  };
};
