/** JSON over HTTPS with connections that stay: how a machine speaks to the API. */
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';

export interface ApiResponse {
  readonly status: number;
  /** The parsed body; a text that is no JSON as it is. */
  readonly body: unknown;
}

export interface ApiClient {
  call(method: string, path: string, token: string, body?: object): Promise<ApiResponse>;
  close(): void;
}

/** Milliseconds after which a call is given up. */
const TIMEOUT_MS = 10_000;

const parsed = (given: string): unknown => {
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
};

const headersOf = (method: string, token: string, payload: string | undefined): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(payload === undefined
    ? {}
    : {
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        'content-length': String(Buffer.byteLength(payload)),
      }),
});

/** A client of the API at `url` whose certificate was signed by `ca` (PEM). Calls reject when nobody answers. */
export const createApiClient = (url: string, ca: string, maxSockets = 64): ApiClient => {
  const agent = new Agent({ ca, keepAlive: true, maxSockets });
  return {
    close: () => agent.destroy(),
    call: (method, path, token, body) =>
      new Promise((resolve, reject) => {
        const payload = body === undefined ? undefined : JSON.stringify(body);
        const options = { agent, method, headers: headersOf(method, token, payload), timeout: TIMEOUT_MS };
        const sent = request(new URL(path, url), options, (response) => {
          text(response).then(
            (given) => resolve({ status: response.statusCode ?? 0, body: parsed(given) }),
            reject,
          );
        });
        sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)));
        sent.on('error', reject);
        sent.end(payload);
      }),
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
