/** HTTPS on this machine: connections, bodies and answers within limits. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Serve } from '../../shared/apiserver/serve.ts';
import type { HostLimits } from '../../shared/config/host-limits.ts';
import type { CertifiedKey } from './certificates.ts';
import { type ClosingReason, type ConnectionCount, createConnections } from './connections.ts';
import { answerExchange, type ExchangeDeps } from './exchange.ts';
import { createInFlight } from './in-flight.ts';
import { createPipelines } from './pipelines.ts';
import { createBodies } from './request-body.ts';
import { createSecureServer, guardDoor, type SecureServer } from './secure-server.ts';
import { createAnswers } from './send-body.ts';
import { refuseUnreadable } from './unreadable-request.ts';

export type ListenerLimits = Pick<HostLimits, 'connections' | 'bytes'>;

/** Why a connection was closed. The set is small because it is a metric label. */
export type CutReason = ClosingReason | 'answers';

export interface ListenerOptions {
  readonly serve: Serve;
  readonly tls: CertifiedKey;
  readonly host: string;
  /** Port to listen on; 0 for a free one. */
  readonly port: number;
  readonly limits: ListenerLimits;
  /** Called when the number of connections changes. */
  readonly onCount?: (count: ConnectionCount) => void;
  /** Called when a connection was closed because of a limit. */
  readonly onCut?: (reason: CutReason) => void;
  readonly onError: (error: unknown) => void;
}

/** A server that accepts connections. */
export interface Listener {
  readonly port: number;
  /** Accepts no new requests. Resolves when the current ones are answered, or after `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

/**
 * Maximum number of connections that wait to be accepted. A client beyond it retries only after seconds. Same as Linux'
 * default.
 */
const BACKLOG = 4_096;
const exchangeDeps = ({ serve, limits, onCut, onCount }: ListenerOptions): ExchangeDeps => ({
  serve,
  limits,
  connections: createConnections(limits.connections, {
    onClosed: (reason) => onCut?.(reason),
    onCount: (count) => onCount?.(count),
    elapsed: () => performance.now(),
  }),
  bodies: createBodies(limits.bytes),
  answers: createAnswers(limits.bytes.answers, () => onCut?.('answers')),
});

type Take = (message: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void;

/** Passes the server's requests to `take`. */
const receive = (server: SecureServer, take: Take, isBusy: (socket: Socket) => boolean): void => {
  server.on('request', (message, response) => take(message, response, false));
  server.on('checkContinue', (message, response) => take(message, response, true));
  server.on('clientError', (error, socket: Socket) => refuseUnreadable(error, socket, isBusy(socket)));
};

type InFlight = ReturnType<typeof createInFlight>;

const stopServer = async (server: SecureServer, inFlight: InFlight, withinMs: number): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  // Without this, connections that become idle now would be kept for a next request.
  void inFlight.end().then(() => server.closeIdleConnections());
  const timer = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearTimeout(timer);
};

/** Serves HTTPS. Rejects with the error of `listen`, such as EADDRINUSE. */
export const startListener = async (options: ListenerOptions): Promise<Listener> => {
  const { host, port, onError, onCut } = options;
  const server = createSecureServer(options);
  const deps = exchangeDeps(options);
  const inFlight = createInFlight();
  const pipelines = createPipelines();

  const take: Take = (message, response, expectsContinue) => {
    const { socket } = message;
    if (socket.destroyed) return;
    if (!pipelines.add(socket, response)) {
      onCut?.('pipelining');
      socket.destroy();
      return;
    }
    const connection = deps.connections.find(socket);
    const exchange = { message, response, signal: inFlight.add(response), connection, expectsContinue };
    answerExchange(exchange, deps).catch((error: unknown) => {
      // A client that disconnected in the middle of a request needs no answer.
      if (!message.destroyed) onError(error);
      response.destroy();
    });
  };

  guardDoor(server, deps.connections);
  server.on('drop', () => onCut?.('all'));
  receive(server, take, pipelines.isBusy);
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    stop: (withinMs) => stopServer(server, inFlight, withinMs),
  };
};
