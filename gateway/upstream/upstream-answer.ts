/** Errors for the API's refusals. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  resourceExpired,
  type Status,
  StatusError,
  type StatusReason,
  serviceUnavailable,
} from '../../shared/kube/errors/status-error.ts';

/** Characters shown of an answer that is not a Status. */
const SHOWN = 200;

const PASSED_ON: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  422: 'Invalid',
  429: 'TooManyRequests',
  501: 'NotImplemented',
};

/** Codes of failures that pass. */
const PASSING: ReadonlySet<number> = new Set([502, 503, 504]);

const secondsOf = (status: Partial<Status>, header: string | undefined): number | undefined => {
  const seconds = status.details?.retryAfterSeconds ?? Number(header ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
};

/**
 * An error with the API's message. It keeps its code if clients can act on it (410 and `PASSED_ON`). Of the others only those that pass become 503,
 * because clients repeat such a request until it succeeds; the rest becomes 500.
 */
export const errorOf = (status: Partial<Status>, retryAfter?: string): StatusError => {
  const { code = 500, message = 'no message', details } = status;
  if (code === 410) return resourceExpired(message);
  const seconds = secondsOf(status, retryAfter);
  const wait = seconds === undefined ? {} : { retryAfterSeconds: seconds };
  const reason = PASSED_ON[code];
  if (reason !== undefined) return new StatusError(reason, message, { ...details, ...wait });
  const answered = `the API answered ${code}: ${message}`;
  return PASSING.has(code)
    ? serviceUnavailable(answered, wait)
    : new StatusError('InternalError', answered, wait);
};

/** The error for an answer with an error code. Its body need not be a Status, or JSON. */
export const refusalOf = (code: number, headers: IncomingHttpHeaders, text: string): StatusError => {
  const retryAfter = headers['retry-after'];
  try {
    const { message, details } = JSON.parse(text) as Partial<Status>;
    if (message !== undefined) return errorOf({ code, message, ...(details ? { details } : {}) }, retryAfter);
  } catch {
    // The body is not JSON, such as an error page of the platform.
  }
  return errorOf({ code, message: text.slice(0, SHOWN) || 'without a word' }, retryAfter);
};
