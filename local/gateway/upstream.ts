/** The API that a gateway forwards to. */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { internalError, StatusError, serviceUnavailable } from '../../shared/api/status-error.ts';
import { codeOf } from '../problem.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Gives the request up. */
  readonly signal?: AbortSignal;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Uint8Array;
}

/** A response whose body is still to come. */
export interface OpenResponse extends Omit<UpstreamResponse, 'body'> {
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Upstream {
  /** Throws a `StatusError` 503 while nobody answers, 504 where the answer takes too long. */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** The same, for answers that come bit by bit. */
  open(request: UpstreamRequest): Promise<OpenResponse>;
  close(): void;
}

export interface UpstreamOptions {
  readonly url: URL;
  /** PEM, where the API's certificate is signed by an authority of its own. */
  readonly ca?: string;
  /** Milliseconds without a byte after which an answer is given up: longer than any poll lasts. */
  readonly timeoutMs: number;
  /** Connections at the same time. */
  readonly maxSockets: number;
}

/** LocalStack names its function URLs `<id>.….localhost`: loopback by RFC 6761, but Node's resolver does not know it. */
const lookup: LookupFunction = (_hostname, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

const isLoopbackName = ({ hostname }: URL): boolean => /\.localhost(\.localstack\.cloud)?$/.test(hostname);

const transportOf = ({ url, ca, maxSockets }: UpstreamOptions) => {
  const options = { keepAlive: true, maxSockets };
  return url.protocol === 'https:'
    ? { request: httpsRequest, agent: new HttpsAgent({ ...options, ...(ca === undefined ? {} : { ca }) }) }
    : { request: httpRequest, agent: new HttpAgent(options) };
};

class NoAnswer extends Error {}

/** Requests that may be sent again by whoever wants to: they change nothing. */
const isReading = ({ method }: UpstreamRequest): boolean => method === 'GET' || method === 'HEAD';

/** Without a time to wait: clients that get one try again for ten rounds before they say what is wrong. */
const noAnswer = ({ url, timeoutMs }: UpstreamOptions): StatusError =>
  new StatusError('Timeout', `the API at ${url.origin} gave no answer within ${timeoutMs / 1000} s`, {});

/** The connection broke after the request was sent. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** What a failure means for whoever asked. */
const problemOf = (error: unknown, wanted: UpstreamRequest, options: UpstreamOptions): unknown => {
  if (error instanceof NoAnswer) return noAnswer(options);
  const code = codeOf(error);
  if (code === '' || code === 'ABORT_ERR') return error;
  const { origin } = options.url;
  if (BROKEN.has(code) && !isReading(wanted))
    return internalError(
      `the connection to the API at ${origin} broke (${code}) before its answer: the request may have been carried out or not`,
      error,
    );
  return serviceUnavailable(
    `the API at ${origin} cannot be reached (${code}); the gateway itself is up and tries again with each request`,
    { cause: error },
  );
};

/** A server may close an idle connection just when a request goes out on it. */
const isClosedWhileIdle = (error: unknown, { reusedSocket }: ClientRequest): boolean =>
  reusedSocket && codeOf(error) === 'ECONNRESET';

/** Node tells the length by itself, but not with a DELETE: the API would take its body for the next request. */
const lengthOf = (body: Uint8Array | undefined): Readonly<Record<string, string>> =>
  body === undefined ? {} : { 'content-length': String(body.byteLength) };

export const createUpstream = (options: UpstreamOptions): Upstream => {
  const { url, timeoutMs } = options;
  const { request, agent } = transportOf(options);

  const sent = (wanted: UpstreamRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body, signal } = wanted;
      const outgoing = request(
        new URL(path, url),
        {
          agent,
          method,
          headers: { ...headers, ...lengthOf(body), host: url.host },
          timeout: timeoutMs,
          ...(isLoopbackName(url) ? { lookup } : {}),
          ...(signal ? { signal } : {}),
        },
        resolve,
      );
      outgoing.on('timeout', () => outgoing.destroy(new NoAnswer()));
      outgoing.on('error', (error) => {
        if (isReading(wanted) && isClosedWhileIdle(error, outgoing)) sent(wanted).then(resolve, reject);
        else reject(problemOf(error, wanted, options));
      });
      outgoing.end(body);
    });

  const open: Upstream['open'] = async (wanted) => {
    const response = await sent(wanted);
    return { status: response.statusCode ?? 502, headers: response.headers, body: response };
  };

  return {
    open,
    send: async (wanted) => {
      const response = await sent(wanted);
      try {
        const body = await buffer(response);
        return { status: response.statusCode ?? 502, headers: response.headers, body };
      } catch (error) {
        throw problemOf(error, wanted, options);
      }
    },
    close: () => agent.destroy(),
  };
};
