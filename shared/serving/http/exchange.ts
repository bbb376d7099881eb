/** One request and its answer, on a connection within limits. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeStatus } from '../../apiserver/answer/encode.ts';
import type { ArrivingRequest, HttpResponse } from '../../apiserver/contract/http.ts';
import type { Serve } from '../../apiserver/serve.ts';
import { serviceUnavailable } from '../../kube/errors/status-error.ts';
import type { HostLimits } from '../../settings/host/host-limits.ts';
import { withProtocolToken } from '../bodies/bearer-protocol.ts';
import type { Bodies } from '../bodies/request-body.ts';
import { type Answers, sendable } from '../bodies/send-body.ts';
import { sendStream } from '../bodies/send-stream.ts';
import { wantsWebSocket, webSocketAnswer } from '../bodies/web-socket-answer.ts';
import type { Repeats } from '../repeats/repeated-requests.ts';
import type { Connection, Connections } from './connections.ts';

const CROWDED_RETRY_SECONDS = 5;

/** A request and its response, as Node has them. */
export interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Makes the signal that is aborted when the client disconnects. */
  readonly signal: () => AbortSignal;
  /** Absent if the client has already disconnected. */
  readonly connection: Connection | undefined;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** Only for a request with `Upgrade`: gives the connection to what follows. */
  readonly onUpgrade?: (upgrade: NonNullable<HttpResponse['upgrade']>) => void;
}

/** What all exchanges of a listener share. */
export interface ExchangeDeps {
  readonly serve: Serve;
  readonly connections: Connections;
  readonly bodies: Bodies;
  readonly answers: Answers;
  readonly repeats: Pick<Repeats, 'answered'>;
  readonly limits: Pick<HostLimits, 'connections'>;
  /** Called with the error of an answer that goes on over a WebSocket. */
  readonly onError: (error: unknown) => void;
}

const holderOf = ({ connection }: Exchange): string => connection?.sender ?? connection?.address ?? '';

const NO_QUERY = new URLSearchParams();

const requestOf = (exchange: Exchange, { connections, bodies }: ExchangeDeps): ArrivingRequest => {
  const { message, response, signal, connection, expectsContinue } = exchange;
  const url = message.url ?? '';
  const mark = url.indexOf('?');
  return {
    method: message.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? NO_QUERY : new URLSearchParams(url.slice(mark + 1)),
    // Only `set-cookie` can be a list, and requests do not have it.
    headers: withProtocolToken(message.headers as ArrivingRequest['headers']),
    ...(connection ? { address: connection.address } : {}),
    onSender: (name) => {
      if (connection) connections.identify(connection, name);
    },
    body: () => {
      if (expectsContinue) response.writeContinue();
      return bodies.read(message, holderOf(exchange), signal);
    },
    get signal() {
      return signal();
    },
  };
};

/** Bytes of an unused body that are read and discarded so that the connection can be reused. Source: Go `net/http`. */
const SKIPPED_BYTES = 262_144;

const canSkipBody = ({ complete, headers }: IncomingMessage): boolean =>
  complete || Number(headers['content-length']) <= SKIPPED_BYTES;

const closingOf = ({ connection }: Exchange) => (connection?.isBrief ? { connection: 'close' } : {});

/**
 * Milliseconds for which a connection stays open after an answer that was sent before the body arrived. Source: Go
 * `net/http`.
 */
const LINGER_MS = 500;

/**
 * Closes a connection with an unused body after a delay. If it were closed at once, with bytes in flight, the client would see a
 * broken connection instead of the answer.
 */
const linger = ({ message, response }: Exchange): void => {
  const { socket } = message;
  if (canSkipBody(message)) return;
  response.once('finish', () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
};

/** Refuses the requests on connections above the limit. */
const refusing = (most: number): Serve => {
  const message = `the server has ${most} connections open, which is the limit; please try again later`;
  const refusal = serviceUnavailable(message, { retryAfterSeconds: CROWDED_RETRY_SECONDS }).toStatus();
  return async (request) => {
    const response = await encodeStatus(request, refusal);
    return { ...response, headers: { ...response.headers, connection: 'close' } };
  };
};

/** Answers the request. Rejects when the connection breaks. */
export const answerExchange = async (exchange: Exchange, deps: ExchangeDeps): Promise<void> => {
  const { message, response, connection } = exchange;
  const serve = connection?.isCrowded ? refusing(deps.limits.connections.all) : deps.serve;
  const answer = await serve(requestOf(exchange, deps));
  const { status, headers, body, stream, bytes: passed = stream, upgrade } = answer;
  if (upgrade && exchange.onUpgrade) return exchange.onUpgrade(upgrade);
  if (passed && status === 200 && exchange.onUpgrade && wantsWebSocket(message))
    return exchange.onUpgrade(webSocketAnswer(message, answer, deps.onError));
  linger(exchange);
  if (passed) {
    response.writeHead(status, { ...headers, ...closingOf(exchange) });
    return sendStream(passed, response);
  }
  const bytes = sendable(body);
  const length = message.method === 'HEAD' ? {} : { 'content-length': Buffer.byteLength(bytes) };
  response.writeHead(status, { ...headers, ...length, ...closingOf(exchange) });
  if (!connection?.isBrief) deps.repeats.answered(message, answer);
  return deps.answers.send(bytes, response, holderOf(exchange));
};
