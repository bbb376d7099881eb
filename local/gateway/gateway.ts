/** HTTPS on this machine in front of a function URL: what `kubectl proxy` is to a cluster, for clients that need TLS and open streams. */
import { internalError, StatusError } from '../../shared/api/status-error.ts';
import { API_BODY_LIMIT, checkBodySize } from '../../shared/apiserver/body.ts';
import { encodeStatus } from '../../shared/apiserver/encode.ts';
import type { HttpRequest, HttpResponse } from '../../shared/apiserver/http.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import type { HostLog } from '../host-log.ts';
import { forward } from './forward.ts';
import type { Upstream } from './upstream.ts';

export interface GatewayDeps {
  readonly upstream: Upstream;
  readonly hostLog: HostLog;
}

/** Answers a request, or leaves it to the next route. */
export type Route = (request: HttpRequest) => Promise<HttpResponse> | undefined;

/** Tells once that the API is away, and once that it is back. */
const createReachability = (hostLog: HostLog) => {
  let isAway = false;
  return {
    away: ({ message }: StatusError): void => {
      if (!isAway) hostLog.warn(message);
      isAway = true;
    },
    answered: (): void => {
      if (isAway) hostLog.info('the API answers again');
      isAway = false;
    },
  };
};

type Reachability = ReturnType<typeof createReachability>;

const failed = (
  request: HttpRequest,
  error: unknown,
  hostLog: HostLog,
  reachability: Reachability,
): Promise<HttpResponse> => {
  if (!(error instanceof StatusError)) {
    hostLog.warn('the request was not passed on', { method: request.method, path: request.path, error });
    return encodeStatus(request, internalError('the gateway could not pass the request on').toStatus());
  }
  if (error.reason === 'ServiceUnavailable') reachability.away(error);
  return encodeStatus(request, error.toStatus());
};

const answer = async (
  request: HttpRequest,
  { upstream }: GatewayDeps,
  routes: readonly Route[],
): Promise<HttpResponse> => {
  checkBodySize(request, API_BODY_LIMIT);
  for (const route of routes) {
    const answered = route(request);
    if (answered) return await answered;
  }
  return forward(request, upstream);
};

/** The first of `routes` that takes the request answers it; what none takes goes to the API as it is. It never rejects. */
export const createGateway = (deps: GatewayDeps, routes: readonly Route[]): Serve => {
  const { hostLog } = deps;
  const reachability = createReachability(hostLog);
  return async (request) => {
    try {
      const response = await answer(request, deps, routes);
      reachability.answered();
      return response;
    } catch (error) {
      return await failed(request, error, hostLog, reachability);
    }
  };
};
