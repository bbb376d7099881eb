/** The HTTPS server of the listener: its time-outs, and how it accepts connections. */
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { HostLimits } from '../../settings/host/host-limits.ts';
import type { CertifiedKey } from './certificates.ts';
import type { Connections } from './connections.ts';
import { shouldUpgrade } from './upgrades.ts';

/** Keep-alive (ms), longer than the interval between two beats of a slow sender, so that its connection stays open. */
export const KEEP_ALIVE_MS = 90_000;
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
const HANDSHAKE_MS = 10_000;
/** Interval (ms) at which timed-out connections are closed. */
const LOOK_MS = 2_000;
/** Maximum bytes of all headers. It leaves room for overlong tokens, which are refused with a Status. */
const HEADERS_BYTES = 65_536;

/** Milliseconds of silence after which TCP keep-alive probes a connection. */
const PROBE_MS = 30_000;

/** Connections above the limit that still get an answer with the reason; further ones are closed without one. */
const REFUSED_CONNECTIONS = 64;

export type SecureServer = ReturnType<typeof createServer>;

export interface SecureServerOptions {
  readonly tls: CertifiedKey;
  readonly limits: Pick<HostLimits, 'connections'>;
}

/** A handshake takes about a millisecond of the processor. */
const PER_TURN = 4;
/** Milliseconds until a new connection must have begun its handshake. */
const HELLO_MS = 10_000;

interface Handshakes {
  /** Calls `onHello` when the client has begun, and `start` when it is its turn. */
  await(socket: Socket, onHello: () => void, start: () => void): void;
}

/** Creates the server. It does not listen yet. */
export const createSecureServer = ({ tls, limits }: SecureServerOptions): SecureServer => {
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
    shouldUpgradeCallback: shouldUpgrade,
  });
  server.maxConnections = limits.connections.all + REFUSED_CONNECTIONS;
  return server;
};

/**
 * Runs a few TLS handshakes per turn of the event loop, so that many new connections do not block other requests. `nextTurn`
 * calls `resume` in a later turn of the event loop.
 */
export const createHandshakes = (nextTurn: (resume: () => void) => void): Handshakes => {
  // A map keeps the order of arrival, and a connection that closes while it waits is removed at once, wherever it stands.
  const waiting = new Map<Socket, () => void>();
  let isRunning = false;

  const run = (): void => {
    let left = PER_TURN;
    for (const [socket, start] of waiting) {
      waiting.delete(socket);
      if (socket.destroyed) continue;
      start();
      left -= 1;
      if (left === 0) break;
    }
    isRunning = waiting.size > 0;
    if (isRunning) nextTurn(run);
  };
  const begin = (socket: Socket, start: () => void): void => {
    waiting.set(socket, start);
    socket.once('close', () => waiting.delete(socket));
    if (isRunning) return;
    isRunning = true;
    nextTurn(run);
  };

  return {
    await: (socket, onHello, start) => {
      // Ignore a reset here: the client has not sent anything yet.
      socket.on('error', () => undefined);
      socket.setTimeout(HELLO_MS, () => socket.destroy());
      socket.once('readable', () => {
        socket.setTimeout(0).removeAllListeners('timeout');
        onHello();
        begin(socket, start);
      });
    },
  };
};

/** Counts connections before any other work is done for them, and starts their handshakes in turn. */
export const guardDoor = (server: SecureServer, connections: Connections): void => {
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
