/**
 * Answers requests for logs, exec, attach, port-forward and a node's proxy: the API behind decides and signs, the gateway connects with the
 * node. A function could not hold the connection.
 */

import type { HttpRequest, HttpResponse } from '../../shared/apiserver/contract/http.ts';
import { requestInfoOf } from '../../shared/apiserver/contract/request-info.ts';
import type { SessionOpener } from '../../shared/apiserver/contract/session.ts';
import { badRequest } from '../../shared/kube/errors/status-error.ts';
import { asksForStream } from '../../shared/rules/streams/upgrade.ts';
import { endToEndHeaders, targetOf } from '../forward/forward.ts';
import type { Route } from '../forward/gateway.ts';
import { credentialsOf } from '../upstream/credentials.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { sessionIn } from './session-answer.ts';

export interface StreamRouteDeps {
  readonly upstream: Upstream;
  readonly sessions: SessionOpener;
}

const SESSIONS = '/apis/rollcall.dev/v1/sessions';
const STREAMS: ReadonlySet<string> = new Set([
  'pods/attach',
  'pods/exec',
  'pods/log',
  'pods/portforward',
  'nodes/proxy',
]);

const isStream = (request: HttpRequest): boolean => {
  const info = requestInfoOf(request);
  return info.kind === 'resource' && info.group === '' && STREAMS.has(`${info.resource}/${info.subresource}`);
};

/** With the client's own token: the API decides about its user. What is not a session, such as a refusal, is the answer. */
const answer = async (
  request: HttpRequest,
  { upstream, sessions }: StreamRouteDeps,
): Promise<HttpResponse> => {
  const { method, headers, signal } = request;
  const {
    status,
    headers: answered,
    body,
  } = await upstream.send({
    method: 'POST',
    path: SESSIONS,
    headers: { ...credentialsOf(headers), 'content-type': 'application/json', accept: 'application/json' },
    body: Buffer.from(JSON.stringify({ method, path: targetOf(request) })),
    signal,
  });
  if (status !== 201) return { status, headers: endToEndHeaders(answered), body };
  const { session, upgrades } = sessionIn(body);
  if (upgrades && !asksForStream(headers['upgrade'])) throw badRequest('Upgrade request required');
  return sessions.open(session, request);
};

/** Answers GET and POST; what the API would refuse anyway is forwarded. */
export const createStreamRoute =
  (deps: StreamRouteDeps): Route =>
  (request) =>
    ['GET', 'POST'].includes(request.method) && isStream(request) ? answer(request, deps) : undefined;
