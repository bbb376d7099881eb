/** Calls the API with JSON over HTTPS, on connections that stay open. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type AnswerBounds, COMMAND } from '../kube/json/answer-bounds.ts';
import { readBoundedText } from '../kube/json/bounded-answer.ts';
import { createTransport, NoAnswer, type ProxyVariables } from './transport.ts';

/** The answer to a call. */
export interface ApiResponse {
  readonly status: number;
  /** The parsed body; the text itself if it is not JSON. */
  readonly body: unknown;
}

/** The answer with its head. */
export interface ApiAnswer extends ApiResponse {
  readonly headers: IncomingHttpHeaders;
}

/** What a call may have besides its body. */
export interface CallOptions {
  /** Default: JSON, for a PATCH a merge patch. */
  readonly mediaType?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Media type of a strategic merge patch: lists such as conditions are merged by their keys. */
export const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

/** What a client may do besides. */
export interface ClientOptions {
  readonly proxies?: ProxyVariables | undefined;
  /** Of the body of an answer: a call whose answer exceeds them rejects. Default: `COMMAND`. */
  readonly bounds?: AnswerBounds;
}

/** A client of the API. */
export interface ApiClient {
  /** Sends a request and returns the answer, also if it is an error. Rejects if there is none, for example after 10 s. */
  call(method: string, path: string, token: string, body?: object, options?: CallOptions): Promise<ApiAnswer>;
  /** Closes all connections, and so fails the calls that wait for an answer. The next call connects anew. */
  close(): void;
}

/** Milliseconds without a byte after which a call is given up. */
const TIMEOUT_MS = 10_000;
/** Milliseconds for the whole body: a server that sends a byte from time to time does not hold a call for ever. */
const WHOLE_MS = 120_000;

/** Parses a JSON text; returns the text itself if it is not JSON. */
export const parsedBody = (given: string): unknown => {
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
};

const bytesOf = (body: object | undefined): { readonly body?: Uint8Array } =>
  body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };

const typeOf = (method: string): string =>
  method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';

const headersOf = (
  method: string,
  token: string,
  body: object | undefined,
  { mediaType = typeOf(method), headers }: CallOptions,
): Record<string, string> => ({
  ...headers,
  authorization: `Bearer ${token}`,
  ...(body === undefined ? {} : { 'content-type': mediaType }),
});

/** The whole body. Rejects if it exceeds the bounds, or is not there in time. */
const textOf = async (response: IncomingMessage, bounds: AnswerBounds): Promise<string> => {
  const timer = setTimeout(() => response.destroy(new NoAnswer('the answer does not end')), WHOLE_MS);
  try {
    return await readBoundedText(response, bounds);
  } finally {
    clearTimeout(timer);
  }
};

/** Creates a client of the API at `url`, whose certificate was signed by `ca` (PEM); absent: by an authority that Node knows. */
export const createApiClient = (
  url: string,
  ca: string | undefined,
  maxSockets = 64,
  { proxies, bounds = COMMAND }: ClientOptions = {},
): ApiClient => {
  const transport = createTransport({ url: new URL(url), ca, maxSockets, timeoutMs: TIMEOUT_MS, proxies });
  return {
    close: transport.close,
    call: async (method, path, token, body, options = {}) => {
      const headers = headersOf(method, token, body, options);
      const { signal } = options;
      const response = await transport.send({ method, path, headers, signal, ...bytesOf(body) });
      const read = parsedBody(await textOf(response, bounds));
      return { status: response.statusCode ?? 0, body: read, headers: response.headers };
    },
  };
};

/** The body of an answer below 300, or with one of the `accepted` codes. Throws an `Error` with the API's message otherwise. */
export const expectOk = async <T>(
  response: Promise<ApiResponse>,
  accepted: readonly number[] = [],
): Promise<T> => {
  const { status, body } = await response;
  if (status < 300 || accepted.includes(status)) return body as T;
  const message = (body as { readonly message?: string } | null)?.message ?? String(body);
  throw new Error(`the API answered ${status}: ${message}`);
};
