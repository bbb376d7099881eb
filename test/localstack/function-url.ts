// HTTP client for Lambda function URLs, on AWS and on LocalStack.
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export type FunctionUrlRequest = {
  /** The function URL, with or without the final slash. */
  readonly url: string;
  readonly method?: string;
  /** Path and query, from "/". */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};
export type FunctionUrlResponse = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  json<T = unknown>(): T;
};

/** Longer than any function behind a URL may take to answer in the tests. */
const TIMEOUT_MS = 60_000;

const httpAgent = new HttpAgent({ keepAlive: true });
const httpsAgent = new HttpsAgent({ keepAlive: true });

export const request = async (wanted: FunctionUrlRequest): Promise<FunctionUrlResponse> => {
  const response = await send(wanted);
  const body = await text(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body,
    json: <T>() => JSON.parse(body) as T,
  };
};

/** Whether the server closed an idle connection just when the request was sent on it. Then it is sent again, as browsers do. */
const isClosedWhileIdle = (error: NodeJS.ErrnoException, { reusedSocket }: ClientRequest): boolean =>
  reusedSocket && error.code === 'ECONNRESET';

const send = (wanted: FunctionUrlRequest): Promise<IncomingMessage> =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const { url, method = 'GET', path = '/', headers = {}, body } = wanted;
    const target = targetOf(new URL(path, url));
    const outgoing = (target.protocol === 'https:' ? httpsRequest : httpRequest)(
      { ...target, method, headers: { ...headers, ...target.headers }, timeout: TIMEOUT_MS },
      resolve,
    );
    outgoing.on('error', (error) => {
      if (isClosedWhileIdle(error, outgoing)) send(wanted).then(resolve, reject);
      else reject(error);
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`no answer from ${url} within ${TIMEOUT_MS} ms`)),
    );
    outgoing.end(body);
  });

/**
 * Where to connect for a URL. Names under localhost do not resolve in Node, so LocalStack's URLs go to its address
 * with the name in Host, by which it finds the function. fetch cannot do that: Host is forbidden to it.
 */
const targetOf = (url: URL) => {
  const isSecure = url.protocol === 'https:';
  return {
    protocol: url.protocol,
    hostname: isLocalStackName(url.hostname) ? '127.0.0.1' : url.hostname,
    port: url.port || (isSecure ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    agent: isSecure ? httpsAgent : httpAgent,
    headers: { host: url.host },
  };
};

const isLocalStackName = (hostname: string): boolean => /\.localhost(\.localstack\.cloud)?$/.test(hostname);
