/** Sends requests over HTTP or HTTPS to one server, on connections that stay open between requests. */
import type { EventEmitter } from 'node:events';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

/** The server, and how to connect to it. */
export interface TransportOptions {
  /** The server. If the URL has a path, it is a prefix of the paths of requests. */
  readonly url: URL;
  /** PEM of the authority that signed the server's certificate; absent: the authorities that Node knows. */
  readonly ca?: string | undefined;
  /** Milliseconds without a byte after which a request is given up; absent: never. */
  readonly timeoutMs?: number;
  /** The most connections at the same time, without those of `isLong` requests. */
  readonly maxSockets: number;
  /** Proxies that lead to the server; absent: none is used. Node.js before 24.5 and 22.21 uses none. */
  readonly proxies?: ProxyVariables | undefined;
}

/** HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in capital letters or small ones. */
export type ProxyVariables = Readonly<Record<string, string | undefined>>;

/** A request to send. */
export interface SentRequest {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the answer takes long, as for a watch. Such a request does not count for `maxSockets`, so it delays no others. */
  readonly isLong?: boolean;
}

/** Sends requests to one server. */
export interface Transport {
  /**
   * Resolves with the head of the answer; the caller must read or destroy its body. Rejects with `NoAnswer` after `timeoutMs`, and
   * with Node's error if the connection fails. GET and HEAD are sent again if the server closed an idle connection.
   */
  send(request: SentRequest): Promise<IncomingMessage>;
  /** Closes all connections. */
  close(): void;
}

/** The server sent nothing for `timeoutMs` milliseconds. */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';
}

/**
 * Whether a host name means loopback. LocalStack's function URLs are `<id>.….localhost`, which Node's resolver does not know.
 * Source: RFC 6761.
 */
export const isLoopbackName = ({ hostname }: URL): boolean =>
  /\.localhost(\.localstack\.cloud)?$/.test(hostname);

const lookup: LookupFunction = (_hostname, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

/** No proxy leads to this machine. */
const isOwn = (url: URL): boolean =>
  isLoopbackName(url) || /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);

const agentsOf = ({ url, ca, maxSockets, proxies }: TransportOptions) => {
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(proxies === undefined || isOwn(url) ? {} : { proxyEnv: { ...proxies } }),
  };
  const isSecure = url.protocol === 'https:';
  const agent = (most: number) =>
    isSecure
      ? new HttpsAgent({ ...tls, keepAlive: true, maxSockets: most })
      : new HttpAgent({ ...tls, keepAlive: true, maxSockets: most });
  return {
    request: isSecure ? httpsRequest : httpRequest,
    short: agent(maxSockets),
    long: agent(Number.POSITIVE_INFINITY),
  };
};

/** Keeps connections to one server that are used for long, such as those of WebSockets. */
export const createLongAgent = (
  options: Pick<TransportOptions, 'url' | 'ca' | 'proxies'>,
): HttpAgent | HttpsAgent => agentsOf({ ...options, maxSockets: 1 }).long;

/** The target of a request. The path is not parsed as a `URL`, in which a path that begins with two slashes names another host. */
const targetOf = ({ url }: TransportOptions, path: string) => ({
  protocol: url.protocol,
  hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
  ...(url.port === '' ? {} : { port: url.port }),
  path: `${url.pathname.replace(/\/$/, '')}${path}`,
  ...(isLoopbackName(url) ? { lookup } : {}),
});

/** Whether a request changes nothing, so that it may be sent again. */
export const isReading = ({ method }: Pick<SentRequest, 'method'>): boolean =>
  method === 'GET' || method === 'HEAD';

/** Whether the server closed an idle connection at the moment at which the request was sent on it. */
const isClosedWhileIdle = (error: NodeJS.ErrnoException, { reusedSocket }: ClientRequest): boolean =>
  reusedSocket && error.code === 'ECONNRESET';

/** Node sends no length with a DELETE, and the server would then parse the body as the next request. */
const lengthOf = (body: Uint8Array | undefined): Readonly<Record<string, string>> =>
  body === undefined ? {} : { 'content-length': String(body.byteLength) };

const ignored = (): void => undefined;

/**
 * Adds a listener for errors. An abort may come between the end of an answer and the next request on its connection, or before
 * the answer is read; without a listener its error would end the process.
 */
const heedErrors = (emitter: EventEmitter): void => {
  if (!emitter.listeners('error').includes(ignored)) emitter.on('error', ignored);
};

/** Creates a transport. It connects when the first request is sent. */
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
