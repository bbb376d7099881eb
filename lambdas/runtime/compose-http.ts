import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { HttpRequest, HttpResponse } from '../../shared/apiserver/contract/http.ts';
import { internalError, outOfTime, StatusError } from '../../shared/kube/errors/status-error.ts';
import { invocationLog, logger } from './observability.ts';

/** The fields of a function URL's event that Rollcall reads. */
export interface FunctionUrlEvent {
  /** The path as the client sent it. LocalStack may have decoded it. */
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

/** The request is aborted this long (ms) before Lambda's time-out, so that the client still gets an answer. */
const TIMEOUT_EARLY_MS = 100;

/** A streamed answer. Lambda sends status and headers first. */
export interface StreamedResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable | string;
}

type Handle = (request: HttpRequest) => Promise<HttpResponse>;

/** A function answers a request, and has no connection that could change its protocol. */
const checkProtocol = ({ headers, rawPath, rawQueryString }: FunctionUrlEvent): void => {
  const isWatch = /(^|&)watch=(?!0|false)/.test(rawQueryString) || rawPath.includes('/watch/');
  if (isWatch && /^websocket$/i.test(headers['upgrade'] ?? ''))
    throw new StatusError(
      'NotImplemented',
      'this API is a function, which has no WebSockets: watch without `Upgrade`, or run `rollcall proxy`, which has them',
    );
};

const toRequest = (event: FunctionUrlEvent, signal: AbortSignal): HttpRequest => ({
  method: event.requestContext.http.method,
  path: event.rawPath,
  query: new URLSearchParams(event.rawQueryString),
  headers: event.headers,
  body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  signal,
});

const textOf = async (stream: AsyncIterable<string>): Promise<string> => {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
};

const toResult = async ({ status, headers, body, stream }: HttpResponse): Promise<FunctionUrlResult> => {
  const whole = stream ? await textOf(stream) : body;
  return {
    statusCode: status,
    headers,
    body: typeof whole === 'string' ? whole : Buffer.from(whole).toString('base64'),
    isBase64Encoded: typeof whole !== 'string',
  };
};

const toStreamed = ({ status, headers, body, stream }: HttpResponse): StreamedResult => ({
  statusCode: status,
  headers,
  body: stream || typeof body !== 'string' ? Readable.from(stream ?? [body]) : body,
});

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Converts a thrown value. The cause of an unknown error goes to the log and not to the client. */
const toStatusError = (error: unknown, method: string): StatusError => {
  if (error instanceof StatusError) return error;
  return isTimeout(error)
    ? outOfTime(READING.has(method))
    : internalError('the request could not be completed', error);
};

const statusResult = (error: StatusError): Omit<FunctionUrlResult, 'isBase64Encoded'> => {
  const retryAfter = error.details?.retryAfterSeconds;
  return {
    statusCode: error.code,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify(error.toStatus()),
  };
};

const statusErrors = () => ({
  onError: ({ event, error }: { readonly event: FunctionUrlEvent; readonly error: unknown }) => {
    const { method } = event.requestContext.http;
    const status = toStatusError(error, method);
    if (status.code >= 500) logRequestFailure({ method, path: event.rawPath, error });
    return statusResult(status);
  },
});

/** Logs a request that failed because of the server. */
export const logRequestFailure = (failure: {
  readonly method: string;
  readonly path: string;
  readonly error: unknown;
}): void => {
  const { method, path, error } = failure;
  logger.error('the request failed', { method, path, error });
};

/** Logs that open watches failed to read changes. No request fails because of it: they read again. */
export const logWatchFailure = (error: unknown): void =>
  logger.error('watches failed to read changes; they try again', { error });

const compose = <Result extends FunctionUrlResult | StreamedResult>(
  options: { readonly executionMode?: typeof executionModeStreamifyResponse },
  answer: (event: FunctionUrlEvent, signal: AbortSignal) => Promise<Result>,
) =>
  middy<FunctionUrlEvent, Result>({ timeoutEarlyInMillis: TIMEOUT_EARLY_MS, ...options })
    .use(invocationLog())
    .use(statusErrors())
    .handler((event, _context, { signal }) => {
      checkProtocol(event);
      return answer(event, signal);
    });

/** A handler for a buffered function URL. Errors, and a time-out of the function, become a `Status`. */
export const composeHttp = (handle: Handle) =>
  compose({}, async (event, signal) => toResult(await handle(toRequest(event, signal))));

/** A handler for a streaming function URL. Once the answer has begun, a time-out of the function just ends it. */
export const composeHttpStream = (handle: Handle) =>
  compose({ executionMode: executionModeStreamifyResponse }, async (event, signal) =>
    toStreamed(await handle(toRequest(event, signal))),
  );

/** Whether the runtime supports response streaming. Outside of Lambda, libraries may define `awslambda` without it. */
export const canStream = (): boolean => {
  const { awslambda } = globalThis as { readonly awslambda?: { readonly streamifyResponse?: unknown } };
  return typeof awslambda?.streamifyResponse === 'function';
};
