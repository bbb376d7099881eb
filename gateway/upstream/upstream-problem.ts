/** The errors that clients get when the API does not answer. */
import type { IncomingHttpHeaders } from 'node:http';
import { NoAnswer } from '../../shared/client/transport.ts';
import { internalError, StatusError, serviceUnavailable } from '../../shared/kube/errors/status-error.ts';
import { codeOf } from '../../shared/serving/http/problem.ts';

/** The connection broke after the request was sent. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** The request was sent, and its outcome is unknown. */
class Broken extends StatusError {}

/** Whether the connection broke while an answer arrived. */
export const isBroken = (error: unknown): boolean => error instanceof Broken;

/** The request that failed. */
export interface Asked {
  readonly url: URL;
  readonly timeoutMs: number;
  /** The request changes nothing, so the client may repeat it. */
  readonly isReading: boolean;
}

const UNCERTAIN = 'the request may have been carried out or not';

/** It has no Retry-After, because client-go would retry ten times before it shows the error. */
const noAnswer = ({ url, timeoutMs, isReading }: Asked, cause: unknown): StatusError => {
  const message = `the API at ${url.origin} gave no answer within ${timeoutMs / 1000} s`;
  return new StatusError('Timeout', isReading ? message : `${message}: ${UNCERTAIN}`, {}, cause);
};

const broken = ({ url, isReading }: Asked, code: string, cause: unknown): StatusError => {
  const message = `the connection to the API at ${url.origin} broke (${code}) before the end of its answer`;
  if (isReading) return new Broken('ServiceUnavailable', message, {}, cause);
  return internalError(`${message}: ${UNCERTAIN}`, cause);
};

/**
 * The error for an answer that Lambda gave in place of the function: 403 if no function has this URL (any more), 429 if all
 * environments are busy. `undefined` for answers of the API itself. Lambda's errors have the header `x-amzn-errortype`.
 */
export const platformRefusal = (
  { url }: Pick<Asked, 'url'>,
  status: number,
  headers: IncomingHttpHeaders,
): StatusError | undefined => {
  if (headers['x-amzn-errortype'] === undefined) return undefined;
  if (status === 403)
    return serviceUnavailable(
      `no function answers at ${url.origin}: was the stack deleted or recreated? Restart the gateway so that it finds the current address of the stack`,
      {},
    );
  const busy =
    'all environments of the API function are busy; raise apiserverReservedConcurrency if this lasts';
  return status === 429 ? new StatusError('TooManyRequests', busy, { retryAfterSeconds: 1 }) : undefined;
};

/** The error for the client. Errors that are already meant for it, and aborts, stay the same. */
export const problemOf = (error: unknown, asked: Asked): unknown => {
  if (error instanceof NoAnswer) return noAnswer(asked, error);
  const code = codeOf(error);
  if (error instanceof StatusError || code === '' || code === 'ABORT_ERR') return error;
  if (BROKEN.has(code)) return broken(asked, code, error);
  return serviceUnavailable(
    `the API at ${asked.url.origin} cannot be reached (${code}); the gateway itself is up and tries again with each request`,
    { cause: error },
  );
};
