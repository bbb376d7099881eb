/** Asks the servers of nodes for the API server itself. */
import type { NodeAnswer, NodeFetch } from '../../ports/outside/node-fetch.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { NodeSession, SessionOpener } from '../contract/session.ts';
import { createSession } from './create-session.ts';

/** Source: kubernetes v1.34 `user.APIServerUser`. */
const OWN_USER = 'system:apiserver';
const MOST_BYTES = 32 * 2 ** 20;

const joined = async (pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of pieces) {
    length += part.byteLength;
    if (length > MOST_BYTES) throw new Error(`the node has answered more than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/** Sends the request of the session, and reads the whole answer. Rejects for more than 32 MiB. */
export const askBySession = async (
  session: NodeSession,
  sessions: Pick<SessionOpener, 'open'>,
  signal: AbortSignal,
): Promise<NodeAnswer> => {
  const { status, body, bytes } = await sessions.open(session, { method: 'GET', headers: {}, signal });
  if (bytes) return { status, body: await joined(bytes) };
  return { status, body: typeof body === 'string' ? new TextEncoder().encode(body) : body };
};

/** Each question is a session of its own. It also rejects for a Node that is another one by now, and for more than 32 MiB. */
export const createNodeFetch =
  (deps: ApiServerDeps, sessions: Pick<SessionOpener, 'open'>): NodeFetch =>
  async ({ name, uid }, target, signal) => {
    const [path = '', query = ''] = target.split('?');
    const planned = { node: name, target: { path, query }, upgrades: false };
    const session = await createSession(planned, OWN_USER, deps);
    if (session.node.uid !== uid) throw new Error(`the Node ${name} is another one`);
    return askBySession(session, sessions, signal);
  };
