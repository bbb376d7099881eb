import middy from '@middy/core';
import { internalError, StatusError } from '../api/status-error.ts';
import type { HttpRequest, HttpResponse } from '../apiserver/http.ts';
import { invocationLog, logger } from './observability.ts';

/** The part of a function URL's event that is looked at. */
export interface FunctionUrlEvent {
  /** As sent; a local emulator may have decoded it. */
  readonly rawPath: string;
  readonly rawQueryString: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

export interface FunctionUrlResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Before Lambda ends the function without an answer. */
const TIMEOUT_EARLY_MS = 100;

const toRequest = (event: FunctionUrlEvent): HttpRequest => ({
  method: event.requestContext.http.method,
  path: event.rawPath,
  query: new URLSearchParams(event.rawQueryString),
  headers: event.headers,
  body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
});

const toResult = ({ status, headers, body }: HttpResponse): FunctionUrlResult => ({
  statusCode: status,
  headers,
  body: typeof body === 'string' ? body : Buffer.from(body).toString('base64'),
  isBase64Encoded: typeof body !== 'string',
});

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/** The cause of an unknown error is for the log only. */
const toStatusError = (error: unknown): StatusError => {
  if (error instanceof StatusError) return error;
  return isTimeout(error)
    ? new StatusError('Timeout', 'the request did not finish within the time of the server', {
        retryAfterSeconds: 1,
      })
    : internalError('the request could not be completed', error);
};

const statusResult = (error: StatusError): FunctionUrlResult => {
  const retryAfter = error.details?.retryAfterSeconds;
  return {
    statusCode: error.code,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify(error.toStatus()),
    isBase64Encoded: false,
  };
};

const statusErrors = () => ({
  onError: ({ event, error }: { readonly event: FunctionUrlEvent; readonly error: unknown }) => {
    const status = toStatusError(error);
    if (status.code >= 500)
      logRequestFailure({ method: event.requestContext.http.method, path: event.rawPath, error });
    return statusResult(status);
  },
});

/** Logs a request that failed through no fault of the client. */
export const logRequestFailure = (failure: {
  readonly method: string;
  readonly path: string;
  readonly error: unknown;
}): void => {
  const { method, path, error } = failure;
  logger.error('the request failed', { method, path, error });
};

/** A handler for a function URL. Whatever is thrown becomes a `Status`; a time-out of the function too. */
export const composeHttp = (handle: (request: HttpRequest) => Promise<HttpResponse>) =>
  middy<FunctionUrlEvent, FunctionUrlResult>({ timeoutEarlyInMillis: TIMEOUT_EARLY_MS })
    .use(invocationLog())
    .use(statusErrors())
    .handler(async (event) => toResult(await handle(toRequest(event))));
