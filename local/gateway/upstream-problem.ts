/** What it means for a client that its request brought no answer. */
import { internalError, StatusError, serviceUnavailable } from '../../shared/api/status-error.ts';
import { codeOf } from '../problem.ts';

/** Nothing came for too long. */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';
}

/** The connection broke after the request was sent. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** The request went out, and what became of it is not known. */
class Broken extends StatusError {}

export const isBroken = (error: unknown): boolean => error instanceof Broken;

export interface Asked {
  readonly url: URL;
  readonly timeoutMs: number;
  /** It changes nothing, so that whoever asked may ask again. */
  readonly isReading: boolean;
}

const UNCERTAIN = 'the request may have been carried out or not';

/** Without a time to wait: clients that get one try again for ten rounds before they say what is wrong. */
const noAnswer = ({ url, timeoutMs, isReading }: Asked, cause: unknown): StatusError => {
  const message = `the API at ${url.origin} gave no answer within ${timeoutMs / 1000} s`;
  return new StatusError('Timeout', isReading ? message : `${message}: ${UNCERTAIN}`, {}, cause);
};

const broken = ({ url, isReading }: Asked, code: string, cause: unknown): StatusError => {
  const message = `the connection to the API at ${url.origin} broke (${code}) before the end of its answer`;
  if (isReading) return new Broken('ServiceUnavailable', message, {}, cause);
  return internalError(`${message}: ${UNCERTAIN}`, cause);
};

/** The same error where it is one of ours or an abort. */
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
