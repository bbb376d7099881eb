/** What a server that cannot reach nodes gives a gateway that can: whose metrics are asked for, and a session with each node. */
import { StatusError } from '../../kube/errors/status-error.ts';
import type { NodeToAsk } from '../../ports/outside/node-fetch.ts';
import { inParallel } from '../../store/turns/in-parallel.ts';
import type { Call } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { ok } from '../contract/http.ts';
import type { NodeSession } from '../contract/session.ts';
import { createSession } from '../sessions/create-session.ts';
import { USAGE_TARGET } from './asking.ts';

/** A gateway sends it. */
export const SOURCES_HEADER = 'rollcall-metric-sources';
/** Kind of the answer. */
export const SOURCES_KIND = 'MetricSources';

const SESSIONS_AT_ONCE = 16;

/** Whether the sender of the request asks the nodes itself. */
export const wantsSources = (
  { request: { headers } }: Pick<Call, 'request'>,
  { nodeFetch }: ApiServerDeps,
): boolean => !nodeFetch && headers[SOURCES_HEADER] !== undefined;

const [path = '', query = ''] = USAGE_TARGET.split('?');

/** `undefined`: nobody can ask this node. */
const sessionWith = async (
  { name, uid }: NodeToAsk,
  user: string,
  deps: ApiServerDeps,
): Promise<NodeSession | undefined> => {
  try {
    const planned = { node: name, target: { path, query }, upgrades: false };
    const session = await createSession(planned, user, deps);
    return session.node.uid === uid ? session : undefined;
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
};

/** `list`: its items are nodes or pods, with what their metrics are made of. */
export const passedOn = async (
  list: object,
  nodes: readonly NodeToAsk[],
  deps: ApiServerDeps,
): Promise<Answer> => {
  const sessions = await inParallel(nodes, SESSIONS_AT_ONCE, (node) =>
    sessionWith(node, 'system:apiserver', deps),
  );
  const granted = sessions.filter((session) => session !== undefined);
  return ok({ metadata: {}, ...list, kind: SOURCES_KIND, apiVersion: 'rollcall.dev/v1', sessions: granted });
};
