/** Answers requests for logs, exec, attach, port-forward and a node's proxy with what the node answers. */
import type { Call } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { checkUpgrade, createSession, onlyByProxy } from './create-session.ts';
import { PLANS } from './plan-request.ts';

/** Rejects with 400, 404, 422, and 501 on a function. The node is asked when the turn of the request is over. */
export const openStream = async (call: Call, deps: ApiServerDeps): Promise<Answer> => {
  const { request, info, user } = call;
  const plan = await PLANS[`${info.resource}/${info.subresource}`]?.(call, deps);
  if (!plan) return { status: 204, body: '' };
  const { sessions } = deps;
  if (!sessions) throw onlyByProxy();
  checkUpgrade(plan, request);
  const session = await createSession(plan, user.name, deps);
  // What follows an `Upgrade` of a log is between client and server: the node is asked for plain bytes.
  const asked = plan.upgrades ? request : { ...request, headers: {} };
  return { status: 200, body: '', later: () => sessions.open(session, asked) };
};
