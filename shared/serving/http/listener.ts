/** HTTPS on this machine: connections, bodies and answers within limits. */
import { type EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Serve } from '../../apiserver/serve.ts';
import type { HostLimits } from '../../settings/host/host-limits.ts';
import { createPipelines, type Pipelines } from '../bodies/pipelines.ts';
import { createBodies } from '../bodies/request-body.ts';
import { createAnswers } from '../bodies/send-body.ts';
import { refuseUnreadable } from '../bodies/unreadable-request.ts';
import { createRepeats, NO_REPEATS, type Repeats } from '../repeats/repeated-requests.ts';
import { faultOf } from '../repeats/trial.ts';
import type { CertifiedKey } from './certificates.ts';
import { type ClosingReason, type ConnectionCount, createConnections } from './connections.ts';
import { answerExchange, type Exchange, type ExchangeDeps } from './exchange.ts';
import { createSecureServer, guardDoor, KEEP_ALIVE_MS, type SecureServer } from './secure-server.ts';
import { receiveUpgrades, type Upgrades } from './upgrades.ts';

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
  /** Present if answers have `again`. */
  readonly repeats?: RepeatsOptions;
  /** Called when the number of connections changes. */
  readonly onCount?: (count: ConnectionCount) => void;
  /** Called when a connection was closed because of a limit. */
  readonly onCut?: (reason: CutReason) => void;
  readonly onError: (error: unknown) => void;
}

export interface RepeatsOptions {
  /** Called with a line for the log when repeated requests cannot be answered with this Node.js as they are. They go the ordinary way then. */
  readonly onOff: (line: string) => void;
  /** Finds out why they cannot; default by a trial. */
  readonly findFault?: (() => Promise<string | undefined>) | undefined;
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

/** Keeps track of requests whose answers are not complete. */
interface InFlight {
  /**
   * Adds a request by its response, or by its connection if it may leave HTTP: by what emits `close` when it is over. Returns what
   * makes its signal, which is aborted then, or by `end`. Most requests need none, and one takes as long to make and to abort as the
   * rest of their bookkeeping.
   */
  add(response: EventEmitter): () => AbortSignal;
  /** Ends open-ended answers such as watches; resolves when every answer was sent. */
  end(): Promise<void>;
}

/** One reason for all: to make an error, with its stack, for each of a thousand clients that leave at once takes 20 ms. */
const OVER = new Error('the client has disconnected, or the server stops');

const exchangeDeps = (
  { serve, limits, onCut, onCount, onError }: ListenerOptions,
  repeats: Repeats,
): ExchangeDeps => ({
  serve,
  limits,
  repeats,
  onError,
  connections: createConnections(limits.connections, {
    onClosed: (reason) => onCut?.(reason),
    onCount: (count) => onCount?.(count),
    elapsed: () => performance.now(),
  }),
  bodies: createBodies(limits.bytes),
  answers: createAnswers(limits.bytes.answers, () => onCut?.('answers')),
});

/** What differs from request to request. */
type Manner = Pick<Exchange, 'signal' | 'expectsContinue' | 'onUpgrade'>;
type Take = (message: IncomingMessage, response: ServerResponse, manner: Manner) => void;

/** Passes the server's requests to `take`. */
const receive = (server: SecureServer, take: Take, inFlight: InFlight, pipelines: Pipelines): Upgrades => {
  const plain = (message: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void =>
    take(message, response, { signal: inFlight.add(response), expectsContinue });
  server.on('request', (message, response) => plain(message, response, false));
  server.on('checkContinue', (message, response) => plain(message, response, true));
  server.on('clientError', (error, socket: Socket) =>
    refuseUnreadable(error, socket, pipelines.isBusy(socket)),
  );
  return receiveUpgrades(server, ({ message, response, connection, handOver }) => {
    const signal = inFlight.add(connection);
    take(message, response, {
      signal,
      expectsContinue: false,
      onUpgrade: (upgrade) => handOver(upgrade, signal()),
    });
  });
};

const stopServer = async (
  server: SecureServer,
  inFlight: InFlight,
  upgrades: Upgrades,
  withinMs: number,
): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  // Without this, connections that become idle now would be kept for a next request.
  void inFlight.end().then(() => server.closeIdleConnections());
  const timer = setTimeout(() => {
    server.closeAllConnections();
    upgrades.destroy();
  }, withinMs);
  await closed;
  clearTimeout(timer);
};

const createInFlight = (): InFlight => {
  const inHand = new Map<EventEmitter, AbortController | undefined>();
  let isEnding = false;
  let settle: (() => void) | undefined;
  const remove = (response: EventEmitter): void => {
    inHand.get(response)?.abort(OVER);
    inHand.delete(response);
    if (inHand.size === 0) settle?.();
  };
  return {
    add: (response) => {
      inHand.set(response, undefined);
      response.once('close', () => remove(response));
      return () => {
        const controller = inHand.get(response) ?? new AbortController();
        if (isEnding || !inHand.has(response)) controller.abort(OVER);
        else inHand.set(response, controller);
        return controller.signal;
      };
    },
    end: async () => {
      isEnding = true;
      for (const controller of inHand.values()) controller?.abort(OVER);
      if (inHand.size > 0)
        await new Promise<void>((resolve) => {
          settle = resolve;
        });
    },
  };
};

const repeatsOf = async (options: ListenerOptions, { isBusy }: Pipelines): Promise<Repeats> => {
  if (!options.repeats) return NO_REPEATS;
  const { onOff, findFault = () => faultOf(createSecureServer(options)) } = options.repeats;
  const onFault = (fault: string): void =>
    onOff(
      `repeated requests are parsed like others, which costs more: with Node.js ${process.version} ${fault}`,
    );
  const fault = await findFault();
  if (fault === undefined) return createRepeats({ isBusy, keepAliveMs: KEEP_ALIVE_MS, onFault });
  onFault(fault);
  return NO_REPEATS;
};

/** Serves HTTPS. Rejects with the error of `listen`, such as EADDRINUSE. */
export const startListener = async (options: ListenerOptions): Promise<Listener> => {
  const { host, port, onError, onCut } = options;
  const server = createSecureServer(options);
  const inFlight = createInFlight();
  const pipelines = createPipelines();
  const repeats = await repeatsOf(options, pipelines);
  const deps = exchangeDeps(options, repeats);

  const take: Take = (message, response, manner) => {
    const { socket } = message;
    repeats.begins(message);
    if (socket.destroyed) return;
    if (!pipelines.add(socket, response)) {
      onCut?.('pipelining');
      socket.destroy();
      return;
    }
    const connection = deps.connections.find(socket);
    const exchange = { message, response, connection, ...manner };
    answerExchange(exchange, deps).catch((error: unknown) => {
      // A client that disconnected in the middle of a request needs no answer.
      if (!message.destroyed) onError(error);
      response.destroy();
    });
  };

  guardDoor(server, deps.connections);
  server.on('drop', () => onCut?.('all'));
  const upgrades = receive(server, take, inFlight, pipelines);
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    stop: (withinMs) => stopServer(server, inFlight, upgrades, withinMs),
  };
};
