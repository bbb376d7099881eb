/**
 * HTTPS on this machine in front of a function URL, for clients that need TLS and long watches. Comparable to `kubectl
 * proxy`.
 */

import { encodeStatus } from '../../shared/apiserver/answer/encode.ts';
import { API_BODY_LIMIT, checkBodySize } from '../../shared/apiserver/body/body.ts';
import {
  type ArrivingRequest,
  type HttpRequest,
  type HttpResponse,
  type RequestHead,
  withBody,
} from '../../shared/apiserver/contract/http.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import { internalError, methodNotAllowed, StatusError } from '../../shared/kube/errors/status-error.ts';
import type { Leave } from '../../shared/serving/bodies/connection-limits.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type GatewayLimits, requestPlaces } from './admission.ts';
import { forward } from './forward.ts';

export interface GatewayDeps {
  readonly upstream: Upstream;
  readonly hostLog: HostLog;
  readonly limits: GatewayLimits;
  /** The place of a request that does not compete with all others; `undefined`: it does. Throws 429. */
  readonly placeOf?: ((request: RequestHead) => Leave | undefined) | undefined;
}

/** Answers a request, or returns `undefined` to leave it to the next route. */
export type Route = (request: HttpRequest) => Promise<HttpResponse> | undefined;

/** The answer to a request that threw. Errors of the gateway itself are logged. */
const errorResponse = async (
  request: RequestHead,
  error: unknown,
  hostLog: HostLog,
): Promise<HttpResponse> => {
  if (error instanceof StatusError) return encodeStatus(request, error.toStatus());
  // A client that has disconnected gets no answer; this is not an error.
  if (!request.signal?.aborted)
    hostLog.warn('failed to forward the request', { method: request.method, path: request.path, error });
  return encodeStatus(request, internalError('the gateway failed to forward the request').toStatus());
};

/** Methods that a function URL accepts. Others get 405 here, as from the API: Lambda would refuse them without a Status. */
const FORWARDED: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const answer = async (
  arriving: ArrivingRequest,
  { upstream }: GatewayDeps,
  routes: readonly Route[],
): Promise<HttpResponse> => {
  if (!FORWARDED.has(arriving.method)) throw methodNotAllowed();
  const request = await withBody(arriving);
  checkBodySize(request, API_BODY_LIMIT);
  for (const route of routes) {
    const routed = route(request);
    if (routed) return await routed;
  }
  return forward(request, upstream);
};

const withPlace = async <T>(take: () => Leave, work: () => Promise<T>): Promise<T> => {
  const leave = take();
  try {
    return await work();
  } finally {
    leave();
  }
};

/** Serves each request by the first of `routes` that answers it, and forwards other requests to the API. Never rejects. */
export const createGateway = (deps: GatewayDeps, routes: readonly Route[]): Serve => {
  const places = requestPlaces(deps.limits);
  return async (request) => {
    try {
      const take = (): Leave => deps.placeOf?.(request) ?? places.take();
      return await withPlace(take, () => answer(request, deps, routes));
    } catch (error) {
      return await errorResponse(request, error, deps.hostLog);
    }
  };
};
