/** The way of every request: who, what, may they, answer; whatever is thrown becomes a Status. */
import { internalError, StatusError } from '../api/status-error.ts';
import { accessFacts } from './access-facts.ts';
import { authenticate, type TokenAuthority } from './authentication.ts';
import { authorize } from './authorization.ts';
import type { HeartbeatServerDeps } from './deps.ts';
import { encodeAnswer, encodeStatus } from './encode.ts';
import type { Answer, HttpRequest, HttpResponse } from './http.ts';
import { impersonated } from './impersonation.ts';
import type { RequestInfo } from './request-info.ts';
import { requestInfoOf } from './request-info.ts';
import type { User } from './user.ts';
import { createVerifiedTokens } from './verified-tokens.ts';

export type Serve = (request: HttpRequest) => Promise<HttpResponse>;

/** Answers a request that may be sent. */
export type Route = (request: HttpRequest, info: RequestInfo, user: User) => Promise<Answer>;

const authorityOf = ({ signingKeys, config }: HeartbeatServerDeps): TokenAuthority => ({
  signingKeys,
  clusterId: config.clusterId,
  verified: createVerifiedTokens(),
});

const admit = async (
  request: HttpRequest,
  info: RequestInfo,
  authority: TokenAuthority,
  deps: HeartbeatServerDeps,
): Promise<User> => {
  const sender = await authenticate(request.headers['authorization'], authority, deps.clock.now());
  const facts = accessFacts(deps, request.query.get('fieldSelector') ?? '');
  const user = await impersonated(sender, request.headers, facts);
  await authorize(user, info, facts);
  return user;
};

const failed = (
  request: HttpRequest,
  error: unknown,
  { logger, clock }: HeartbeatServerDeps,
): HttpResponse => {
  const isExpected = error instanceof StatusError && error.code < 500;
  if (!isExpected)
    logger.requestFailed({ method: request.method, path: request.path, at: clock.now(), error });
  // What went wrong inside is for the log, not for the client.
  const shown = error instanceof StatusError ? error : internalError('the request could not be served');
  return encodeStatus(shown.toStatus());
};

/** A server over `route`. It never rejects. */
export const createServe = (route: Route, deps: HeartbeatServerDeps): Serve => {
  const authority = authorityOf(deps);
  return async (request) => {
    try {
      const info = requestInfoOf(request);
      const user = await admit(request, info, authority, deps);
      return await encodeAnswer(request, await route(request, info, user));
    } catch (error) {
      return failed(request, error, deps);
    }
  };
};
