/** GET requests to containers. */
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { HttpTarget } from '../../rules/probes/action.ts';
import { redirectOf, tooManyRedirects } from '../../rules/probes/http-answer.ts';
import { connectText } from './connect-text.ts';

export interface HttpAnswer {
  readonly status: number;
  /** Cut to what is kept. */
  readonly body: string;
  readonly location?: string;
}

const MOST_BODY_BYTES = 10 * 1024;

/** One request. Certificates of containers are not checked: nobody has signed them. */
const once = async (
  url: URL,
  { headers, hostHeader }: HttpTarget,
  signal: AbortSignal,
): Promise<HttpAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const send = url.protocol === 'https:' ? secureRequest : plainRequest;
  const sent = send(
    url,
    {
      signal,
      agent: false,
      rejectUnauthorized: false,
      headers: { ...headers, ...(hostHeader !== undefined && { host: hostHeader }) },
    },
    (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = (): void => {
        const body = Buffer.concat(chunks).subarray(0, MOST_BODY_BYTES).toString();
        const { location } = response.headers;
        resolve({ status: response.statusCode ?? 0, body, ...(location !== undefined && { location }) });
        sent.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= MOST_BODY_BYTES) finish();
      });
      response.on('end', finish);
      response.on('error', reject);
    },
  );
  sent.on('error', reject);
  sent.end();
  return await promise;
};

const follow = async (target: HttpTarget, signal: AbortSignal): Promise<HttpAnswer> => {
  const first = new URL(target.url);
  let url = first;
  for (let followed = 0; ; followed += 1) {
    const answer = await once(url, target, signal);
    const next = redirectOf(first, url, answer.status, answer.location);
    if (!next) return answer;
    const stop = tooManyRedirects(followed + 1);
    if (stop !== undefined) throw new Error(stop);
    url = next;
  }
};

/** Gets the URL, and follows redirects to the same host. Rejects with Go's text. */
export const httpGet = async (target: HttpTarget, timeoutMs: number): Promise<HttpAnswer> => {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await follow(target, signal);
  } catch (error) {
    const why = signal.aborted
      ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
      : connectText(error, new URL(target.url).host);
    throw new Error(`Get "${target.url}": ${why}`);
  }
};
