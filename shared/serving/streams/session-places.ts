/** How many sessions with nodes may be open: each holds two connections, for hours perhaps. */

import type { NodeSession } from '../../apiserver/contract/session.ts';
import { tooManyRequests } from '../../kube/errors/status-error.ts';
import type { SessionLimits } from '../../settings/host/host-limits.ts';
import { createKeyedPlaces, createPlaces, type Leave, takeAll } from '../bodies/connection-limits.ts';

const RETRY_SECONDS = 5;

const refused = (whose: string, most: number) =>
  tooManyRequests(
    `${whose} ${most} sessions with nodes open, which is the limit; please end some`,
    RETRY_SECONDS,
  );

/** Takes the places of a session until it ends. Throws 429. */
export interface SessionPlaces {
  take(session: Pick<NodeSession, 'node' | 'user'>): Leave;
  taken(): number;
}

export const createSessionPlaces = (limits: Omit<SessionLimits, 'idleMs'>): SessionPlaces => {
  const all = createPlaces(limits.all, () => refused('the server has', limits.all));
  const ofNode = createKeyedPlaces(limits.perNode, () => refused('the node has', limits.perNode));
  const ofUser = createKeyedPlaces(limits.perIdentity, (user) => refused(`${user} has`, limits.perIdentity));
  return {
    take: ({ node, user }) =>
      takeAll([() => ofUser.take(user), () => ofNode.take(node.uid), () => all.take()]),
    taken: all.taken,
  };
};
