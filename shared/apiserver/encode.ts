/** Answers on the wire: JSON or text, compressed when large and wanted. */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Status } from '../api/status-error.ts';
import { notAcceptable } from '../api/status-error.ts';
import type { Answer, HttpRequest, HttpResponse } from './http.ts';
import { mediaTypeOf } from './http.ts';

/** Bytes from which an answer is worth compressing. Kubernetes: 128 KiB. */
const GZIP_FROM = 131_072;
const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** RFC 6750. It says what to do also where the body is the real server's bare `Unauthorized`. */
const CHALLENGE =
  'Bearer realm="rollcall", error="invalid_token", error_description="send a token made by: npx rollcall token"';

const compress = promisify(gzip);

const isPlainJson = (clause: string): boolean => {
  const type = mediaTypeOf(clause);
  return type === '*/*' || (type === JSON_TYPE && !/;\s*as=/.test(clause));
};

/** Throws 406 when no clause of `Accept` takes plain JSON. Tables are not printed yet, so `as=Table` alone is refused. */
export const checkAccept = ({ headers }: HttpRequest): void => {
  const accept = headers['accept'] ?? '';
  if (accept !== '' && !accept.split(',').some(isPlainJson))
    throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${JSON_TYPE}`);
};

const acceptsGzip = ({ headers }: HttpRequest): boolean =>
  (headers['accept-encoding'] ?? '').split(',').some((one) => {
    const [coding = '', weight = ''] = one.split(';').map((part) => part.trim());
    return coding === 'gzip' && !/^q=0(\.0*)?$/.test(weight);
  });

const baseHeaders = (type: string): Record<string, string> => ({
  'content-type': type,
  'cache-control': 'no-cache, private',
});

/** The response for an answer; `HEAD` gets no body. */
export const encodeAnswer = async (
  request: HttpRequest,
  { status, body, stream }: Answer,
): Promise<HttpResponse> => {
  if (stream) return { status, headers: baseHeaders(JSON_TYPE), body: '', stream };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = baseHeaders(typeof body === 'string' ? TEXT_TYPE : JSON_TYPE);
  if (request.method === 'HEAD') return { status, headers, body: '' };
  if (text.length < GZIP_FROM || !acceptsGzip(request)) return { status, headers, body: text };
  return {
    status,
    headers: { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    body: await compress(text),
  };
};

/** The response for an error, with `Retry-After` where the client is to wait and a challenge where it is unknown. */
export const encodeStatus = (status: Status): HttpResponse => {
  const seconds = status.details?.retryAfterSeconds;
  return {
    status: status.code,
    headers: {
      ...baseHeaders(JSON_TYPE),
      ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
      ...(status.code === 401 ? { 'www-authenticate': CHALLENGE } : {}),
    },
    body: JSON.stringify(status),
  };
};
