import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { serviceUnavailable } from '../shared/api/status-error.ts';
import { API_BODY_LIMIT } from '../shared/apiserver/body.ts';
import { encodeStatus } from '../shared/apiserver/encode.ts';
import type { HttpRequest } from '../shared/apiserver/http.ts';
import type { Serve } from '../shared/apiserver/serve.ts';
import type { CertifiedKey } from './certificates.ts';
import { createRequestsInHand } from './requests-in-hand.ts';
import { sendStream } from './send-stream.ts';

export interface ListenerOptions {
  readonly serve: Serve;
  readonly tls: CertifiedKey;
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** At most so many at a time; further ones are told to come back later. `undefined`: any number. */
  readonly connections?: number;
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
/** Bytes of all headers: room for tokens that are too long, which are refused with a Status. */
const HEADERS_BYTES = 65_536;

/** Milliseconds after which a silent connection is asked whether its other end is still there. */
const PROBE_MS = 30_000;

/** Connections beyond the most that are still answered, to be told so; more are closed without a word. */
const REFUSED_CONNECTIONS = 64;
const CROWDED_RETRY_SECONDS = 5;

/** The body, cut one byte beyond the limit: enough to be refused. */
const bodyOf = async (message: IncomingMessage): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > API_BODY_LIMIT) break;
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
};

const NO_BODY = new Uint8Array();
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const requestOf = async (message: IncomingMessage, signal: AbortSignal): Promise<HttpRequest> => {
  const url = message.url ?? '';
  const mark = url.indexOf('?');
  return {
    method: message.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    // Only `set-cookie`, which requests do not have, is ever a list.
    headers: message.headers as HttpRequest['headers'],
    body: hasBody(message) ? await bodyOf(message) : NO_BODY,
    signal,
  };
};

// A body that was not read to its end leaves a connection that nobody can use.
const closingOf = ({ complete }: IncomingMessage) => (complete ? {} : { connection: 'close' });

const answer = async (
  serve: Serve,
  message: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> => {
  const { status, headers, body, stream } = await serve(await requestOf(message, signal));
  if (stream) {
    response.writeHead(status, { ...headers, ...closingOf(message) });
    return sendStream(stream, response);
  }
  const length = message.method === 'HEAD' ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length, ...closingOf(message) }).end(body);
};

/** Refuses requests of connections that are too many. */
const refusing =
  (serve: Serve, isCrowded: () => boolean, most: number): Serve =>
  async (request) => {
    if (!isCrowded()) return serve(request);
    const message = `the server has ${most} connections open, which is the most; please try again later`;
    const refusal = serviceUnavailable(message, { retryAfterSeconds: CROWDED_RETRY_SECONDS });
    const response = await encodeStatus(request, refusal.toStatus());
    return { ...response, headers: { ...response.headers, connection: 'close' } };
  };

type SecureServer = ReturnType<typeof createServer>;

/** Counts a server's connections; those that find it full stay refused until they are closed. */
const createDoor = (server: SecureServer, serve: Serve, most: number) => {
  const crowd = new WeakSet<object>();
  let open = 0;
  server.maxConnections = most + REFUSED_CONNECTIONS;
  server.on('secureConnection', (socket) => {
    open += 1;
    if (open > most) crowd.add(socket);
    socket.once('close', () => {
      open -= 1;
    });
  });
  return ({ socket }: IncomingMessage): Serve => refusing(serve, () => crowd.has(socket), most);
};

/** Serves HTTPS. Throws what `listen` throws, such as EADDRINUSE. */
export const startListener = async ({
  serve,
  tls,
  host,
  port,
  connections,
  onError,
}: ListenerOptions): Promise<Listener> => {
  const server = createServer({
    cert: tls.certificate,
    key: tls.key,
    minVersion: 'TLSv1.2',
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_MS,
    headersTimeout: HEADERS_MS,
    maxHeaderSize: HEADERS_BYTES,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
  });
  const inHand = createRequestsInHand();
  const serving = connections === undefined ? () => serve : createDoor(server, serve, connections);
  server.on('request', (message, response) => {
    answer(serving(message), message, response, inHand.add(response)).catch((error: unknown) => {
      // Whoever hung up in the middle of a request wants no answer.
      if (!message.destroyed) onError(error);
      response.destroy();
    });
  });
  server.listen(port, host);
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
  return { port: typeof address === 'object' && address ? address.port : port, stop };
};
