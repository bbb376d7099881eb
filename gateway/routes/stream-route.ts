/**
 * Answers requests for logs, exec, attach, port-forward and a node's proxy: the API behind decides and signs, the gateway connects with the
 * node. A function could not hold the connection.
 */
import type { HttpRequest, HttpResponse } from '../../shared/apiserver/contract/http.ts';
import { requestInfoOf } from '../../shared/apiserver/contract/request-info.ts';
import type { NodeSession, SessionOpener } from '../../shared/apiserver/contract/session.ts';
import { badRequest, internalError } from '../../shared/kube/errors/status-error.ts';
import { isObject } from '../../shared/kube/json/json-object.ts';
import { asksForStream } from '../../shared/rules/streams/upgrade.ts';
import { endToEndHeaders, targetOf } from '../forward/forward.ts';
import type { Route } from '../forward/gateway.ts';
import { credentialsOf } from '../upstream/credentials.ts';
import type { Upstream } from '../upstream/upstream.ts';

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

/** A session, and whether the client must ask for another protocol. */
interface GrantedSession {
  readonly session: NodeSession;
  readonly upgrades: boolean;
}

const isStream = (request: HttpRequest): boolean => {
  const info = requestInfoOf(request);
  return info.kind === 'resource' && info.group === '' && STREAMS.has(`${info.resource}/${info.subresource}`);
};

const wrong = (): Error => internalError('the API answered a request for a session with something else');

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw wrong();
  return value;
};

/** Throws 500 for what is not a NodeSession: another program may answer at the address of the API. */
const sessionIn = (body: Uint8Array): GrantedSession => {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(body).toString());
  } catch {
    throw wrong();
  }
  const { metadata, status } = isObject(read) ? read : {};
  if (!isObject(metadata) || !isObject(status)) throw wrong();
  const { addresses, port, upgrades } = status;
  if (!Array.isArray(addresses) || typeof port !== 'number') throw wrong();
  return {
    upgrades: upgrades === true,
    session: {
      node: { name: text(metadata['name']), uid: text(metadata['uid']) },
      endpoint: { addresses: addresses.map(text), port, fingerprint: text(status['fingerprint']) },
      target: { path: text(status['path']), query: text(status['query']) },
      token: text(status['token']),
      user: text(status['user']),
    },
  };
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
  // What follows an `Upgrade` of a log is between client and gateway: the node is asked for plain bytes.
  return sessions.open(session, upgrades ? request : { ...request, headers: {} });
};

/** Answers GET and POST; what the API would refuse anyway is forwarded. */
export const createStreamRoute =
  (deps: StreamRouteDeps): Route =>
  (request) =>
    ['GET', 'POST'].includes(request.method) && isStream(request) ? answer(request, deps) : undefined;
