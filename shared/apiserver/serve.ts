/** The way of every request: who, what, may they, answer; whatever is thrown becomes a Status. */
import type { Status } from '../api/status-error.ts';
import { internalError, StatusError } from '../api/status-error.ts';
import { accessFacts } from './access-facts.ts';
import type { TokenAuthority } from './authentication.ts';
import { authorize } from './authorization.ts';
import type { HeartbeatServerDeps } from './deps.ts';
import type { WriteYaml } from './encode.ts';
import { encodeAnswer, encodeStatus } from './encode.ts';
import type { Answer, HttpRequest, HttpResponse } from './http.ts';
import { impersonated } from './impersonation.ts';
import { createKeyUseRecorder } from './key-use-recorder.ts';
import type { RequestInfo } from './request-info.ts';
import { requestInfoOf } from './request-info.ts';
import { checkTimeout } from './request-timeout.ts';
import { authenticateSender, createTokenCheck } from './sender.ts';
import type { User } from './user.ts';
import { createVerifiedTokens } from './verified-tokens.ts';
import { withWarnings } from './warnings.ts';

export type Serve = (request: HttpRequest) => Promise<HttpResponse>;

/** Answers a request that may be sent. */
export type Route = (request: HttpRequest, info: RequestInfo, user: User) => Promise<Answer>;

const authorityOf = ({ signingKeys, keyUses, config }: HeartbeatServerDeps): TokenAuthority => ({
  signingKeys,
  clusterId: config.clusterId,
  verified: createVerifiedTokens(),
  recordUse: createKeyUseRecorder({ signingKeys, keyUses }),
});

const admit = async (
  request: HttpRequest,
  info: RequestInfo,
  authority: TokenAuthority,
  deps: HeartbeatServerDeps,
): Promise<User> => {
  const sender = await authenticateSender(request, info, authority, deps);
  const facts = accessFacts(deps, request.query.get('fieldSelector') ?? '');
  const user = await impersonated(sender, request.headers, facts);
  await authorize(user, info, facts);
  return user;
};

const statusOf = (
  request: HttpRequest,
  error: unknown,
  { logger, clock, statusOf: explain }: HeartbeatServerDeps,
): Status => {
  const isExpected = error instanceof StatusError && error.code < 500;
  if (!isExpected)
    logger.requestFailed({ method: request.method, path: request.path, at: clock.now(), error });
  // What went wrong inside is for the log, not for the client.
  const known = error instanceof StatusError ? error : explain?.(error);
  return (known ?? internalError('the request could not be served')).toStatus();
};

/** A server over `route`. It never rejects. */
export const createServe = (route: Route, deps: HeartbeatServerDeps, toYaml?: WriteYaml): Serve => {
  const authority = authorityOf(deps);
  const isStillValid = createTokenCheck(authority, deps);
  return async (given) => {
    const warnings: string[] = [];
    const stillValid = (): Promise<boolean> => isStillValid(given.headers['authorization']);
    const request = { ...given, warnings, stillValid };
    try {
      const info = requestInfoOf(request);
      checkTimeout(request.query, info);
      const user = await admit(request, info, authority, deps);
      const answer = await route(request, info, user);
      const encoded = await encodeAnswer(request, answer, toYaml);
      return withWarnings(encoded, [...warnings, ...(answer.warnings ?? [])]);
    } catch (error) {
      return withWarnings(await encodeStatus(request, statusOf(request, error, deps), toYaml), warnings);
    }
  };
};
