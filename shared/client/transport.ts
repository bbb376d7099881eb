/** HTTP and HTTPS to one server, over connections that are kept open between requests. */
import type { EventEmitter } from 'node:events';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

export interface TransportOptions {
  /** With a path, that one comes before those of requests. */
  readonly url: URL;
  /** PEM of the authority that signed the server's certificate; absent: those that Node knows. */
  readonly ca?: string | undefined;
  /** Milliseconds without a byte after which a request is given up; absent: none. */
  readonly timeoutMs?: number;
  /** Connections at the same time, those of long answers aside. */
  readonly maxSockets: number;
}

export interface SentRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
  /** The answer takes long, as that to a watch: it gets a connection of its own, so that it holds up no others. */
  readonly isLong?: boolean;
}

export interface Transport {
  /**
   * The head of the answer, whose body the caller reads or destroys. Rejects with `NoAnswer` after `timeoutMs`, and with what
   * Node says of a connection that cannot be made or breaks. GET and HEAD are sent again where an idle connection was closed.
   */
  send(request: SentRequest): Promise<IncomingMessage>;
  close(): void;
}

/** Nothing came for too long. */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';
}

/** LocalStack names its function URLs `<id>.….localhost`: loopback by RFC 6761, but Node's resolver does not know it. */
export const isLoopbackName = ({ hostname }: URL): boolean =>
  /\.localhost(\.localstack\.cloud)?$/.test(hostname);

const lookup: LookupFunction = (_hostname, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

const agentsOf = ({ url, ca, maxSockets }: TransportOptions) => {
  const tls = ca === undefined ? {} : { ca };
  const isSecure = url.protocol === 'https:';
  const agent = (most: number) =>
    isSecure
      ? new HttpsAgent({ ...tls, keepAlive: true, maxSockets: most })
      : new HttpAgent({ keepAlive: true, maxSockets: most });
  return {
    request: isSecure ? httpsRequest : httpRequest,
    short: agent(maxSockets),
    long: agent(Number.POSITIVE_INFINITY),
  };
};

/** Never through `URL`: a path that begins with two slashes would name another host there. */
const targetOf = ({ url }: TransportOptions, path: string) => ({
  protocol: url.protocol,
  hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
  ...(url.port === '' ? {} : { port: url.port }),
  path: `${url.pathname.replace(/\/$/, '')}${path}`,
  ...(isLoopbackName(url) ? { lookup } : {}),
});

/** Requests that may be sent again: they change nothing. */
export const isReading = ({ method }: Pick<SentRequest, 'method'>): boolean =>
  method === 'GET' || method === 'HEAD';

/** A server may close an idle connection just when a request goes out on it. */
const isClosedWhileIdle = (error: NodeJS.ErrnoException, { reusedSocket }: ClientRequest): boolean =>
  reusedSocket && error.code === 'ECONNRESET';

/** Node tells the length by itself, but not with a DELETE: the server would take its body for the next request. */
const lengthOf = (body: Uint8Array | undefined): Readonly<Record<string, string>> =>
  body === undefined ? {} : { 'content-length': String(body.byteLength) };

const ignored = (): void => undefined;

/**
 * An abort may come between the end of an answer and the next request of its connection, or before anybody reads the
 * answer: nobody listens for the error then, and the process would end.
 */
const heedErrors = (emitter: EventEmitter): void => {
  if (!emitter.listeners('error').includes(ignored)) emitter.on('error', ignored);
};

export const createTransport = (options: TransportOptions): Transport => {
  const { url, timeoutMs } = options;
  const { request, short, long } = agentsOf(options);
  const timing = timeoutMs === undefined ? {} : { timeout: timeoutMs };

  const send = (wanted: SentRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, path, body, signal, isLong = false } = wanted;
      const outgoing = request({
        ...targetOf(options, path),
        ...timing,
        ...(signal ? { signal } : {}),
        method,
        agent: isLong ? long : short,
        headers: { ...wanted.headers, ...lengthOf(body), host: url.host },
      });
      outgoing.on('socket', heedErrors);
      outgoing.on('response', (response) => {
        heedErrors(response);
        resolve(response);
      });
      outgoing.on('timeout', () => outgoing.destroy(new NoAnswer(`${method} ${path}: no answer`)));
      outgoing.on('error', (error) => {
        if (isReading(wanted) && isClosedWhileIdle(error, outgoing)) send(wanted).then(resolve, reject);
        else reject(error);
      });
      outgoing.end(body);
    });

  const close = (): void => {
    short.destroy();
    long.destroy();
  };
  return { send, close };
};
