/** JSON over HTTPS with connections that stay: how a machine speaks to the API. */
import { text } from 'node:stream/consumers';
import { createTransport } from './transport.ts';

export interface ApiResponse {
  readonly status: number;
  /** The parsed body; a text that is no JSON as it is. */
  readonly body: unknown;
}

export interface ApiClient {
  /** The answer, whatever its status. Rejects when none comes. */
  call(method: string, path: string, token: string, body?: object): Promise<ApiResponse>;
  close(): void;
}

/** Milliseconds without a byte after which a call is given up. */
const TIMEOUT_MS = 10_000;

/** The value of a JSON text; a text that is no JSON as it is. */
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

/** A client of the API at `url` whose certificate was signed by `ca` (PEM). */
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

/** The body of a call that must succeed. Throws what the API says otherwise. */
export const expectOk = async <T>(
  response: Promise<ApiResponse>,
  accepted: readonly number[] = [],
): Promise<T> => {
  const { status, body } = await response;
  if (status < 300 || accepted.includes(status)) return body as T;
  const message = (body as { readonly message?: string } | null)?.message ?? String(body);
  throw new Error(`the API answered ${status}: ${message}`);
};
