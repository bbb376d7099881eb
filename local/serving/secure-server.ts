/** The HTTPS server beneath the listener: its time-outs, and how connections come in. */
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { HostLimits } from '../../shared/config/host-limits.ts';
import type { CertifiedKey } from './certificates.ts';
import type { Connections } from './connections.ts';
import { createHandshakes } from './handshakes.ts';

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

/** Connections beyond the most that are still answered, to be told so; more are closed without a word. */
const REFUSED_CONNECTIONS = 64;

export type SecureServer = ReturnType<typeof createServer>;

export interface SecureServerOptions {
  readonly tls: CertifiedKey;
  readonly limits: Pick<HostLimits, 'connections'>;
}

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
  });
  server.maxConnections = limits.connections.all + REFUSED_CONNECTIONS;
  return server;
};

/** Counts connections before anything is done for them, and lets them begin their handshakes in turn. */
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
