/**
 * The request pipeline: parse, authenticate, admit, authorize, read the body, route, encode. Anything thrown
 * becomes a `Status`. The body is read only after its sender is authorized.
 */
import type { Status } from '../api/status-error.ts';
import { internalError, StatusError } from '../api/status-error.ts';
import { accessFacts } from './access/access-facts.ts';
import { isUnverified, type TokenAuthority } from './access/authentication.ts';
import { authorize } from './access/authorization.ts';
import { impersonated } from './access/impersonation.ts';
import { createKeyUseRecorder } from './access/key-use-recorder.ts';
import { authenticateSender, createTokenCheck } from './access/sender.ts';
import { ANONYMOUS, type User } from './access/user.ts';
import { createVerifiedTokens } from './access/verified-tokens.ts';
import type { WriteYaml } from './answer/encode.ts';
import { encodeAnswer, encodeStatus } from './answer/encode.ts';
import type { HeartbeatServerDeps } from './deps.ts';
import { type FlowControl, NO_FLOW_CONTROL } from './flow-control.ts';
import {
  type Answer,
  type ArrivingRequest,
  type HttpRequest,
  type HttpResponse,
  type InTurn,
  type RequestHead,
  withBody,
} from './http.ts';
import type { RequestInfo } from './request/request-info.ts';
import { requestInfoOf } from './request/request-info.ts';
import { checkTimeout } from './request/request-timeout.ts';
import { withWarnings } from './request/warnings.ts';

/** Serves a request. Never rejects: errors become responses. */
export type Serve = (request: ArrivingRequest) => Promise<HttpResponse>;

/** Answers an authorized request. Rejections become responses. */
export type Route = (request: HttpRequest, info: RequestInfo, user: User) => Promise<Answer>;

const authorityOf = ({ signingKeys, keyUses, verified, config }: HeartbeatServerDeps): TokenAuthority => ({
  signingKeys,
  clusterId: config.clusterId,
  verified: verified ?? createVerifiedTokens(),
  recordUse: createKeyUseRecorder({ signingKeys, keyUses }),
});

interface Serving {
  readonly route: Route;
  readonly authority: TokenAuthority;
  readonly toYaml: WriteYaml | undefined;
  readonly flow: FlowControl;
}

const identify = async (
  request: RequestHead,
  info: RequestInfo,
  { authority, flow }: Serving,
  deps: HeartbeatServerDeps,
): Promise<User> => {
  const work = () => authenticateSender(request, info, authority, deps);
  const isWork = isUnverified(request.headers['authorization'], authority);
  const sender = await (isWork ? flow.identify(request, work) : work());
  if (sender !== ANONYMOUS) request.onSender?.(sender.name);
  return sender;
};

const admit = async (
  request: RequestHead,
  info: RequestInfo,
  sender: User,
  deps: HeartbeatServerDeps,
): Promise<User> => {
  const facts = accessFacts(deps, request.query.get('fieldSelector') ?? '');
  const user = await impersonated(sender, request.headers, facts);
  await authorize(user, info, facts);
  return user;
};

const statusOf = (
  request: RequestHead,
  error: unknown,
  { logger, clock, statusOf: explain }: HeartbeatServerDeps,
): Status => {
  const isExpected = error instanceof StatusError && error.code < 500;
  if (!isExpected)
    logger.requestFailed({ method: request.method, path: request.path, at: clock.now(), error });
  // The cause of an internal error is logged, and not sent to the client.
  const known = error instanceof StatusError ? error : explain?.(error);
  return (known ?? internalError('the request could not be served')).toStatus();
};

const respond = async (
  request: ArrivingRequest & Required<Pick<RequestHead, 'warnings'>>,
  serving: Serving,
  deps: HeartbeatServerDeps,
): Promise<HttpResponse> => {
  const { route, toYaml, flow } = serving;
  const info = requestInfoOf(request);
  checkTimeout(request.query, info);
  const sender = await identify(request, info, serving, deps);
  const place = flow.enter(request, info, sender);
  const user = await place.run(() => admit(request, info, sender, deps));
  const whole = await withBody(request);
  const inTurn: InTurn = (work) => place.run(work);
  return place.run(async () => {
    const answer = await route({ ...whole, inTurn }, info, user);
    const encoded = await encodeAnswer(whole, answer, toYaml, deps.pause);
    return withWarnings(encoded, [...request.warnings, ...(answer.warnings ?? [])]);
  }, whole.body.byteLength);
};

/** Creates a server around `route`. Its promise never rejects. */
export const createServe = (route: Route, deps: HeartbeatServerDeps, toYaml?: WriteYaml): Serve => {
  const authority = authorityOf(deps);
  const isStillValid = createTokenCheck(authority, deps);
  const serving = { route, authority, toYaml, flow: deps.flow ?? NO_FLOW_CONTROL };
  return async (given) => {
    const warnings: string[] = [];
    const stillValid = (): Promise<boolean> => isStillValid(given.headers['authorization']);
    const request = { ...given, warnings, stillValid };
    try {
      return await respond(request, serving, deps);
    } catch (error) {
      return withWarnings(await encodeStatus(request, statusOf(request, error, deps), toYaml), warnings);
    }
  };
};
