/** Calls the API with JSON over HTTPS, on connections that stay open. */
import { text } from 'node:stream/consumers';
import { createTransport } from './transport.ts';

/** The answer to a call. */
export interface ApiResponse {
  readonly status: number;
  /** The parsed body; the text itself if it is not JSON. */
  readonly body: unknown;
}

/** A client of the API. */
export interface ApiClient {
  /** Sends a request and returns the answer, also if it is an error. Rejects if there is none, for example after 10 s. */
  call(method: string, path: string, token: string, body?: object): Promise<ApiResponse>;
  /** Closes all connections. */
  close(): void;
}

/** Milliseconds without a byte after which a call is given up. */
const TIMEOUT_MS = 10_000;

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

const headersOf = (method: string, token: string, body: object | undefined): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(body === undefined
    ? {}
    : { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
});

/** Creates a client of the API at `url`, whose certificate was signed by `ca` (PEM). */
export const createApiClient = (url: string, ca: string, maxSockets = 64): ApiClient => {
  const transport = createTransport({ url: new URL(url), ca, maxSockets, timeoutMs: TIMEOUT_MS });
  return {
    close: transport.close,
    call: async (method, path, token, body) => {
      const headers = headersOf(method, token, body);
      const response = await transport.send({ method, path, headers, ...bytesOf(body) });
      return { status: response.statusCode ?? 0, body: parsedBody(await text(response)) };
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
