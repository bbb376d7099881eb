/** Authenticates the sender of a request: by its token, and by the objects that the token is bound to. */

import type { User } from '../../kinds/contract/user.ts';
import { nodeNameOf } from '../../kinds/contract/user.ts';
import { forbiddenPath, hasReason } from '../../kube/errors/status-error.ts';
import { NODE_LEASE_NAMESPACE } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';
import type { RequestHead } from '../contract/http.ts';
import type { RequestInfo } from '../contract/request-info.ts';
import { authenticate, type TokenAuthority } from './authentication.ts';
import { checkBoundObjects } from './bound-objects.ts';

type SenderDeps = Pick<HeartbeatServerDeps, 'objects' | 'clock' | 'boundKinds'>;

/** Milliseconds for which the watches of one token share one answer on whether it is still valid. */
const SHARED_MS = 5_000;

/**
 * Whether the request's own write checks that the token's Node still exists (its uid is a condition), so that no read is needed
 * before it: heartbeats, and creates and updates of node Leases.
 */
const isCheckedByItsWrite = (user: User, info: RequestInfo, query: URLSearchParams): boolean => {
  if (info.kind === 'path' || user.nodeUid === undefined || nodeNameOf(user) === undefined) return false;
  const { group, resource, subresource, namespace, verb } = info;
  if (group === 'rollcall.dev') return resource === 'nodes' && subresource === 'heartbeat';
  const isLease =
    group === 'coordination.k8s.io' && resource === 'leases' && namespace === NODE_LEASE_NAMESPACE;
  return isLease && (verb === 'create' || verb === 'update') && !query.has('dryRun');
};

const checkKinds = ({ boundTo = [] }: User, { boundKinds }: SenderDeps): void => {
  const elsewhere = boundTo.find(({ kind }) => boundKinds?.includes(kind) === false);
  if (elsewhere)
    throw forbiddenPath(
      `a token that is bound to a ${elsewhere.kind} is taken at the URL of the API only (stack output ApiUrl)`,
    );
};

/**
 * The user that sent the request. Throws 401 for a bad token, and for one whose Node, service account, pod or
 * secret was deleted; 403 for one that is bound to what this server does not read.
 */
export const authenticateSender = async (
  { headers, query }: Pick<RequestHead, 'headers' | 'query'>,
  info: RequestInfo,
  authority: TokenAuthority,
  deps: SenderDeps,
): Promise<User> => {
  const user = await authenticate(headers['authorization'], authority, deps.clock.now());
  checkKinds(user, deps);
  if (!isCheckedByItsWrite(user, info, query)) await checkBoundObjects(user, deps);
  return user;
};

interface Known {
  readonly at: EpochMs;
  readonly isValid: Promise<boolean>;
}

/** Resolves to whether a token is still valid. Callers that ask for one token within five seconds share the answer. */
export type TokenCheck = (authorization: string | undefined) => Promise<boolean>;

/** A check for open watches. If the store cannot be read, the token counts as valid until the next check. */
export const createTokenCheck = (authority: TokenAuthority, deps: SenderDeps): TokenCheck => {
  const known = new Map<string | undefined, Known>();

  const check = async (authorization: string | undefined): Promise<boolean> => {
    try {
      await checkBoundObjects(await authenticate(authorization, authority, deps.clock.now()), deps);
      return true;
    } catch (error) {
      return !hasReason(error, 'Unauthorized');
    }
  };

  const forgetOld = (now: EpochMs): void => {
    // The map's oldest entries come first. An entry from the future was stored before the clock was set back.
    for (const [authorization, { at }] of known) {
      if (now - at < SHARED_MS && now >= at) return;
      known.delete(authorization);
    }
  };

  return (authorization) => {
    const now = deps.clock.now();
    forgetOld(now);
    const shared = known.get(authorization);
    if (shared) return shared.isValid;
    const isValid = check(authorization);
    known.set(authorization, { at: now, isValid });
    return isValid;
  };
};
