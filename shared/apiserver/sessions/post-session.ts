/** POST of a session: a gateway shows a request of a client, with the client's token, and gets what it takes to send it to the node. */

import { badRequest } from '../../kube/errors/status-error.ts';
import { isObject } from '../../kube/json/json-object.ts';
import { accessFacts } from '../access/access-facts.ts';
import { authorize } from '../access/authorization.ts';
import { checkMediaType, parseJson } from '../body/body.ts';
import type { Call } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer, HttpRequest } from '../contract/http.ts';
import { created } from '../contract/http.ts';
import { requestInfoOf } from '../contract/request-info.ts';
import type { NodeSession, PlannedRequest } from '../contract/session.ts';
import { createSession } from './create-session.ts';
import { PLANS } from './plan-request.ts';
import { SESSION_KIND } from './session-kind.ts';

const METHODS: readonly unknown[] = ['GET', 'POST'];

/** The client's request. Throws 400. */
const readAsked = (request: HttpRequest): HttpRequest => {
  checkMediaType(request, 'application/json');
  const body = parseJson(request.body, (complaint) =>
    badRequest(`the NodeSession is not JSON: ${complaint}`),
  );
  const { method, path } = isObject(body) ? body : {};
  if (!METHODS.includes(method) || typeof path !== 'string' || !path.startsWith('/'))
    throw badRequest('a NodeSession has the method (GET or POST) and the path, with its query, of a request');
  const [before = '', ...after] = path.split('?');
  return { ...request, method: String(method), path: before, query: new URLSearchParams(after.join('?')) };
};

const answerOf = (
  { node, endpoint, target, token, user }: NodeSession,
  { upgrades }: PlannedRequest,
): Answer =>
  created({
    kind: SESSION_KIND.kind,
    apiVersion: 'rollcall.dev/v1',
    metadata: node,
    status: { ...endpoint, ...target, token, user, upgrades },
  });

/** The sender needs the permission for the request that it shows. Throws 400, 403, 404, 422 and 500. */
export const postSession = async (call: Call, deps: ApiServerDeps): Promise<Answer> => {
  const { user } = call;
  const request = readAsked(call.request);
  const info = requestInfoOf(request);
  const plan =
    info.kind === 'resource' && info.group === '' ? PLANS[`${info.resource}/${info.subresource}`] : undefined;
  if (info.kind !== 'resource' || !plan) throw badRequest(`${request.path} is not a request to a node`);
  const isAllowed =
    info.verb === 'get' || (info.verb === 'create' && !['log', 'proxy'].includes(info.subresource));
  if (!isAllowed || info.name === '')
    throw badRequest(`${request.method} ${request.path} is not a request to a node`);
  await authorize(user, info, accessFacts(deps, ''));
  const planned = await plan({ request, info, user }, deps);
  if (!planned) return { status: 204, body: '' };
  return answerOf(await createSession(planned, user.name, deps), planned);
};
