/** Sends one event to a URL of the operator. */
import { createHmac } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { optional } from '../../kube/values/optional.ts';

/** Milliseconds until the status must be there, and until the rest of an answer is given up. */
const TIMEOUT_MS = 10_000;
/** Bytes of an answer after which its connection is closed: nothing of it is used. */
const MOST_BYTES = 65_536;

/** Where events go. */
export interface EventTarget {
  readonly url: string;
  /** PEM of the certificate authorities that are trusted; the public ones if absent. */
  readonly ca?: string;
}

/** The part of an answer that counts. */
export interface EventAnswer {
  readonly status: number;
  /** The header `Retry-After`. */
  readonly retryAfter?: string;
}

/** Sends bodies to one target. Its connections are kept for the next ones. */
export interface EventPoster {
  /**
   * Resolves with the status, which may be a redirect: none is followed. Rejects if there is no status within ten seconds, if the certificate is not
   * trusted, or when `signal` aborts.
   */
  post(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<EventAnswer>;
  close(): void;
}

/**
 * The header of a signed event: `t=<seconds>,v1=<hex>` with one `v1` for each key. Each is the HMAC-SHA256 of `<seconds>.<body>`. A receiver that knows one of
 * the keys can verify it, so keys can be replaced one after the other.
 */
export const signatureOf = (body: string, seconds: number, keys: readonly string[]): string =>
  [
    `t=${seconds}`,
    ...keys.map((key) => `v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`),
  ].join(',');

/** Reads the rest of an answer away, so that its connection can be used again, or closes it. */
const discard = (answer: IncomingMessage): void => {
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) answer.destroy();
  });
  answer.on('error', () => undefined);
};

const answerOf = ({ statusCode = 0, headers }: IncomingMessage): EventAnswer => {
  const retryAfter = headers['retry-after'];
  return { status: statusCode, ...optional('retryAfter', retryAfter) };
};

/** Creates the poster of a target. */
export const createEventPoster = ({ url, ca }: EventTarget): EventPoster => {
  const isSecure = url.startsWith('https:');
  const agent = isSecure
    ? new HttpsAgent({ keepAlive: true, ...optional('ca', ca) })
    : new HttpAgent({ keepAlive: true });
  return {
    post: (body, headers, stop) =>
      new Promise((resolve, reject) => {
        const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
        const length = { 'content-length': String(Buffer.byteLength(body)) };
        const options = { method: 'POST', agent, signal, headers: { ...headers, ...length } };
        const sent = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
        sent.on('response', (answer) => {
          discard(answer);
          resolve(answerOf(answer));
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
};
