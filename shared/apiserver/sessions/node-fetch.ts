/** Asks the servers of nodes for the API server itself. */
import { NODE_USAGE } from '../../kube/json/answer-bounds.ts';
import { readBounded } from '../../kube/json/bounded-answer.ts';
import type { NodeAnswer, NodeFetch } from '../../ports/outside/node-fetch.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { NodeSession, SessionOpener } from '../contract/session.ts';
import { createSession } from './create-session.ts';

/** Source: kubernetes v1.34 `user.APIServerUser`. */
const OWN_USER = 'system:apiserver';

/** Sends the request of the session, and reads the whole answer. Rejects with `AnswerTooLarge` if that exceeds `NODE_USAGE`. */
export const askBySession = async (
  session: NodeSession,
  sessions: Pick<SessionOpener, 'open'>,
  signal: AbortSignal,
): Promise<NodeAnswer> => {
  const { status, body, bytes } = await sessions.open(session, { method: 'GET', headers: {}, signal });
  if (!bytes) return { status, body: typeof body === 'string' ? new TextEncoder().encode(body) : body };
  const whole = await readBounded(bytes, NODE_USAGE);
  // An answer that was given up ends as if it were complete.
  signal.throwIfAborted();
  return { status, body: whole };
};

/** Each question is a session of its own. It also rejects for a Node that is another one by now, and for an answer that exceeds `NODE_USAGE`. */
export const createNodeFetch =
  (deps: ApiServerDeps, sessions: Pick<SessionOpener, 'open'>): NodeFetch =>
  async ({ name, uid }, target, signal) => {
    const [path = '', query = ''] = target.split('?');
    const planned = { node: name, target: { path, query }, upgrades: false };
    const session = await createSession(planned, OWN_USER, deps);
    if (session.node.uid !== uid) throw new Error(`the Node ${name} is another one`);
    return askBySession(session, sessions, signal);
  };
