/** The API that a gateway forwards to. */
import type { EventEmitter } from 'node:events';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { codeOf } from '../serving/problem.ts';
import { NoAnswer, platformRefusal, problemOf } from './upstream-problem.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Uint8Array;
}

/** A response whose body is still to come; reading it throws what `send` throws. */
export interface OpenResponse extends Omit<UpstreamResponse, 'body'> {
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Upstream {
  /**
   * Throws a `StatusError`: 503 while nobody answers, 504 where the answer takes too long, 500 where it is not known whether
   * a change was made; and what an abort throws.
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** The same, for answers that come bit by bit and take long: they hold up no others. */
  open(request: UpstreamRequest): Promise<OpenResponse>;
  close(): void;
}

export interface UpstreamOptions {
  /** With a path, that one comes before those of requests. */
  readonly url: URL;
  /** PEM, where the API's certificate is signed by an authority of its own. */
  readonly ca?: string;
  /** Milliseconds without a byte after which an answer is given up: longer than any poll lasts. */
  readonly timeoutMs: number;
  /** Connections at the same time, those of open answers aside. */
  readonly maxSockets: number;
}

/** LocalStack names its function URLs `<id>.….localhost`: loopback by RFC 6761, but Node's resolver does not know it. */
const lookup: LookupFunction = (_hostname, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

const isLoopbackName = ({ hostname }: URL): boolean => /\.localhost(\.localstack\.cloud)?$/.test(hostname);

const transportOf = ({ url, ca, maxSockets }: UpstreamOptions) => {
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
const targetOf = ({ url }: UpstreamOptions, { path }: UpstreamRequest) => ({
  protocol: url.protocol,
  hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
  ...(url.port === '' ? {} : { port: url.port }),
  path: `${url.pathname.replace(/\/$/, '')}${path}`,
  ...(isLoopbackName(url) ? { lookup } : {}),
});

/** Requests that may be sent again by whoever wants to: they change nothing. */
const isReading = ({ method }: UpstreamRequest): boolean => method === 'GET' || method === 'HEAD';

/** A server may close an idle connection just when a request goes out on it. */
const isClosedWhileIdle = (error: unknown, { reusedSocket }: ClientRequest): boolean =>
  reusedSocket && codeOf(error) === 'ECONNRESET';

/** Node tells the length by itself, but not with a DELETE: the API would take its body for the next request. */
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

export const createUpstream = (options: UpstreamOptions): Upstream => {
  const { url, timeoutMs: timeout } = options;
  const { request, short, long } = transportOf(options);

  const sent = (wanted: UpstreamRequest, agent: HttpAgent): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, body, signal } = wanted;
      const headers = { ...wanted.headers, ...lengthOf(body), host: url.host };
      const target = targetOf(options, wanted);
      const outgoing = request({ ...target, agent, method, headers, timeout, ...(signal ? { signal } : {}) });
      outgoing.on('socket', heedErrors);
      outgoing.on('response', (response) => {
        heedErrors(response);
        const refusal = platformRefusal(options, response.statusCode ?? 0, response.headers);
        if (!refusal) return resolve(response);
        response.resume();
        reject(refusal);
      });
      outgoing.on('timeout', () => outgoing.destroy(new NoAnswer()));
      outgoing.on('error', (error) => {
        if (isReading(wanted) && isClosedWhileIdle(error, outgoing))
          sent(wanted, agent).then(resolve, reject);
        else reject(error);
      });
      outgoing.end(body);
    });

  const explained = async <T>(wanted: UpstreamRequest, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw problemOf(error, { ...options, isReading: isReading(wanted) });
    }
  };

  async function* bodyOf(wanted: UpstreamRequest, response: IncomingMessage): AsyncGenerator<Uint8Array> {
    const chunks = response[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await explained(wanted, () => chunks.next());
        if (done) return;
        yield value as Uint8Array;
      }
    } finally {
      response.destroy();
    }
  }

  const statusOf = ({ statusCode = 502, headers }: IncomingMessage) => ({ status: statusCode, headers });

  return {
    send: (wanted) =>
      explained(wanted, async () => {
        const response = await sent(wanted, short);
        return { ...statusOf(response), body: await buffer(response) };
      }),
    open: async (wanted) => {
      const response = await explained(wanted, () => sent(wanted, long));
      return { ...statusOf(response), body: bodyOf(wanted, response) };
    },
    close: () => {
      short.destroy();
      long.destroy();
    },
  };
};
