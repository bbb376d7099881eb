/**
 * The request pipeline: parse, authenticate, admit, authorize, read the body, route, encode. Anything thrown
 * becomes a `Status`. The body is read only after its sender is authorized.
 */

import { ANONYMOUS, type User } from '../kinds/contract/user.ts';
import type { Status } from '../kube/errors/status-error.ts';
import { internalError, StatusError } from '../kube/errors/status-error.ts';
import { accessFacts } from './access/access-facts.ts';
import { isStillVerified, isUnverified, type TokenAuthority } from './access/authentication.ts';
import { authorize } from './access/authorization.ts';
import { impersonated } from './access/impersonation.ts';
import { createKeyUseRecorder } from './access/key-use-recorder.ts';
import { authenticateSender, createTokenCheck } from './access/sender.ts';
import type { WriteYaml } from './answer/encode.ts';
import { encodeAnswer, encodePlainly, encodeStatus } from './answer/encode.ts';
import type { Handle } from './contract/call.ts';
import type { HeartbeatServerDeps } from './contract/deps.ts';
import { type FlowControl, NO_FLOW_CONTROL } from './contract/flow-control.ts';
import {
  type Answer,
  type ArrivingRequest,
  type HttpRequest,
  type HttpResponse,
  type InTurn,
  type RequestHead,
  withBody,
} from './contract/http.ts';
import type { KnownBeat } from './contract/known-beats.ts';
import type { RequestInfo, ResourceRequest } from './contract/request-info.ts';
import { requestInfoOf } from './contract/request-info.ts';
import { createVerifiedTokens } from './contract/verified-tokens.ts';
import { withWarnings } from './contract/warnings.ts';
import { checkTimeout } from './request/request-timeout.ts';

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

/** What answers a beat. */
export type BeatHandle = (info: ResourceRequest) => Handle<HeartbeatServerDeps> | undefined;

interface Serving {
  readonly route: Route;
  readonly authority: TokenAuthority;
  readonly toYaml: WriteYaml | undefined;
  readonly flow: FlowControl;
  readonly beatHandle: BeatHandle | undefined;
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
  const encoded = async (answer: Answer): Promise<HttpResponse> => {
    const response = await encodeAnswer(whole, answer, toYaml, deps.pause);
    if (user === sender) deps.knownBeats?.learn(request, info, user, response);
    return withWarnings(response, [...request.warnings, ...(answer.warnings ?? [])]);
  };
  const first = await place.run(async () => {
    const answer = await route({ ...whole, inTurn }, info, user);
    return answer.awaited ?? (await encoded(answer));
  }, whole.body.byteLength);
  if (typeof first !== 'function') return first.later ? first.later() : first;
  const answer = await first();
  return place.run(() => encoded(answer));
};

const NO_BODY = new Uint8Array();

/** Reads the body of a beat within the limits of its sender. One without a body is answered in the same turn and takes no place. */
const bodyOfBeat = async (request: ArrivingRequest, { info, user }: KnownBeat, { flow }: Serving) => {
  if (typeof request.body !== 'function') return request.body;
  if ((request.headers['content-length'] ?? '0') === '0') return NO_BODY;
  flow.enter(request, info, user);
  return (await withBody(request)).body;
};

/** Answers a beat that is sent again; `undefined` if its token has to be verified anew. */
const respondToKnown = async (
  request: ArrivingRequest,
  known: KnownBeat,
  warnings: string[],
  serving: Serving,
  deps: HeartbeatServerDeps,
): Promise<HttpResponse | undefined> => {
  const { info, user, token } = known;
  const handle = serving.beatHandle?.(info);
  if (!handle) return undefined;
  if (!(await isStillVerified(token, serving.authority, deps.clock.now()))) return undefined;
  request.onSender?.(user.name);
  const body = await bodyOfBeat(request, known, serving);
  const { method, path, query, headers } = request;
  const call = { request: { method, path, query, headers, warnings, body }, info, user };
  const answer = await handle(call, deps);
  return withWarnings({ ...encodePlainly(answer), info, again: deps.againOf?.(call, token) }, warnings);
};

/** Creates a server around `route`. Its promise never rejects. */
export const createServe = (
  route: Route,
  deps: HeartbeatServerDeps,
  toYaml?: WriteYaml,
  beatHandle?: BeatHandle,
): Serve => {
  const authority = authorityOf(deps);
  const isStillValid = createTokenCheck(authority, deps);
  const serving = { route, authority, toYaml, flow: deps.flow ?? NO_FLOW_CONTROL, beatHandle };
  return async (given) => {
    const warnings: string[] = [];
    const stillValid = (): Promise<boolean> => isStillValid(given.headers['authorization']);
    const known = deps.knownBeats?.find(given);
    try {
      const repeated = known && (await respondToKnown(given, known, warnings, serving, deps));
      return repeated ?? (await respond({ ...given, warnings, stillValid }, serving, deps));
    } catch (error) {
      return withWarnings(await encodeStatus(given, statusOf(given, error, deps), toYaml), warnings);
    }
  };
};
