/** Forwards requests to the API and its answers to clients, unchanged. */
import type { HttpRequest, HttpResponse } from '../../shared/apiserver/contract/http.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Headers that belong to one connection and are not forwarded. Source: RFC 9110 §7.6.1. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The end-to-end headers, which are forwarded. */
export const endToEndHeaders = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) ? [] : [[name, String(value)]],
    ),
  );

/** The path with its query, as it is sent to the API. */
export const targetOf = ({ path, query }: Pick<HttpRequest, 'path' | 'query'>): string =>
  query.size === 0 ? path : `${path}?${query.toString()}`;

/** Sends the request to the API. Rejects with a `StatusError` if the API does not answer. */
export const forward = async (request: HttpRequest, upstream: Upstream): Promise<HttpResponse> => {
  const { method, headers, body, signal } = request;
  const answered = await upstream.send({
    method,
    path: targetOf(request),
    headers: endToEndHeaders(headers),
    ...(body.byteLength > 0 ? { body } : {}),
    // A write continues when its client disconnects, because an aborted one may have taken effect in part.
    ...(method === 'GET' ? { signal } : {}),
  });
  return { status: answered.status, headers: endToEndHeaders(answered.headers), body: answered.body };
};
