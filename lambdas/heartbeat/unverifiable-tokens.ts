/**
 * Requests with tokens that this function cannot verify. Those of earlier versions take a secret, so the API answers them until they are renewed. While
 * there are no public keys, as after a restore, it answers all, and publishes the keys at the first.
 */
import type { HttpRequest, HttpResponse } from '../../shared/apiserver/contract/http.ts';
import { StatusError } from '../../shared/kube/errors/status-error.ts';
import type { VerifyingKeys } from '../../shared/ports/outside/signing-keys.ts';

/** So begins each token that is signed with HS256: `{"alg":"HS256",`, encoded. */
const OLD = 'eyJhbGciOiJIUzI1NiIs';
/** Milliseconds, so that a client gets an answer before the function's time-out. */
const PATIENCE_MS = 3_000;
/** Of the connection, and not of the request. */
const HOP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

type Serve = (request: HttpRequest) => Promise<HttpResponse>;

export interface Forwarding {
  /** Base URL of the API. */
  readonly apiUrl: string;
  readonly fetch: typeof fetch;
  readonly signingKeys: Pick<VerifyingKeys, 'current'>;
}

/** Whether the sender has an old token, or a relay shows one of a node in its batch. */
const hasOldToken = ({ path, headers, body }: HttpRequest): boolean =>
  headers['authorization']?.includes(OLD) === true ||
  (path.endsWith('/heartbeats') && Buffer.from(body).includes(OLD));

const sentHeaders = ({ headers }: HttpRequest): Headers =>
  new Headers(
    Object.entries(headers).filter(
      (header): header is [string, string] =>
        header[1] !== undefined && !HOP.has(header[0]) && !header[0].startsWith('x-'),
    ),
  );

const answerOf = async (response: Response): Promise<HttpResponse> => {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !HOP.has(name)));
  // `fetch` has unpacked the body.
  delete headers['content-encoding'];
  return { status: response.status, headers, body: new Uint8Array(await response.arrayBuffer()) };
};

const forward = async (request: HttpRequest, { apiUrl, fetch }: Forwarding): Promise<HttpResponse> => {
  const url = new URL(apiUrl);
  url.pathname = request.path;
  url.search = String(request.query);
  const { method, body } = request;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const sent = body.byteLength === 0 ? {} : { body: Uint8Array.from(body) };
  try {
    return await answerOf(await fetch(url, { method, headers: sentHeaders(request), signal, ...sent }));
  } catch (error) {
    throw new StatusError(
      'ServiceUnavailable',
      'the API does not answer; try again',
      { retryAfterSeconds: 1 },
      error,
    );
  }
};

const canVerify = ({ signingKeys }: Forwarding): Promise<boolean> =>
  signingKeys.current().then(
    () => true,
    () => false,
  );

/** Answers what it cannot verify as the API answers it, and all else by `serve`. Rejects with 503 if the API does not answer. */
export const withUnverifiableTokens =
  (serve: Serve, forwarding: Forwarding): Serve =>
  async (request) => {
    const isOurs =
      request.headers['authorization'] === undefined ||
      (!hasOldToken(request) && (await canVerify(forwarding)));
    return isOurs ? serve(request) : forward(request, forwarding);
  };
