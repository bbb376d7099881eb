/** Issues tokens for nodes: POST /apis/rollcall.dev/v1/nodes/{name}/token. */
import {
  TOKEN_EXPIRY_ANNOTATION,
  TOKEN_RELEASED_ANNOTATION,
} from '../../kinds/admission/node-annotations.ts';
import { checkNodeToken } from '../../kinds/admission/node-restriction.ts';
import { isAdmin, nodeNameOf } from '../../kinds/contract/user.ts';
import { badRequest, conflict, forbidden, notFound, StatusError } from '../../kube/errors/status-error.ts';
import type { Node } from '../../kube/types/core.ts';
import { GROUP_NODES, NODE_LEASE_NAMESPACE, NODE_USER_PREFIX } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, parseTime, toTime } from '../../kube/values/time.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import type { HeartbeatItem } from '../../ports/store/heartbeats.ts';
import type { LiveRow, Row } from '../../ports/store/rows.ts';
import { isClaimed } from '../../rules/nodes/node-claim.ts';
import type { ObjectWrite } from '../../store/writer/object-writer.ts';
import { issueToken } from '../access/authentication.ts';
import { limitOnToken, type TokenLimit } from '../access/limited-token.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { created } from '../contract/http.ts';
import { isDryRun } from '../request/options.ts';
import { readLifetime } from './token-lifetime.ts';

const DAY_SECONDS = 24 * 60 * 60;
const LIFETIME = { least: 60, usual: DAY_SECONDS, most: 30 * DAY_SECONDS };

const NO_DRY_RUN =
  'dryRun: a token that is issued holds, and that the node has had one is stored: leave dryRun out';

interface Granted {
  readonly node: Node;
  readonly expiresAt: EpochMs;
  readonly now: EpochMs;
}

interface Asked {
  readonly call: Call;
  readonly ttl: number;
  /** Only for a bootstrapper: the heartbeat item of this name. The grant fails if a heartbeat arrives meanwhile. */
  readonly seen?: { readonly item: HeartbeatItem | undefined };
}

const liveNode = ({ info }: Call, row: Row | undefined): LiveRow => {
  if (row?.state !== 'live') throw notFound({ resource: 'nodes', name: info.name });
  if (row.object.metadata.deletionTimestamp !== undefined)
    throw conflict({ resource: 'nodes', name: info.name }, 'the Node is being deleted: its tokens are void');
  return row;
};

/** The instant (ms) at which the Node's newest token expires or expired. Returns undefined if it never had a token. */
const tokenEndOf = ({ metadata }: Node): EpochMs | undefined => {
  const expiry = metadata.annotations?.[TOKEN_EXPIRY_ANNOTATION];
  return expiry === undefined ? undefined : (parseTime(expiry) ?? 0);
};

/** Whether an administrator allowed bootstrappers one more token for this Node. */
const isReleased = ({ metadata }: Node): boolean =>
  metadata.annotations?.[TOKEN_RELEASED_ANNOTATION] === 'true';

const hadToken = (node: Node, now: EpochMs): string | undefined => {
  const end = tokenEndOf(node);
  const expiry = node.metadata.annotations?.[TOKEN_EXPIRY_ANNOTATION];
  return end === undefined ? undefined : `${end > now ? 'has' : 'had'} a token until ${expiry}`;
};

const wasHeard = ({ object, facts, uid }: LiveRow, item: HeartbeatItem | undefined): string | undefined => {
  if (!facts.node) return undefined;
  const beats =
    item?.uid === uid || item?.lease
      ? { observedAt: item.uid === uid ? item.observedAt : undefined, hasLease: item.lease !== undefined }
      : undefined;
  return isClaimed(object, facts.node, beats) ? 'is used by a machine that has other credentials' : undefined;
};

/**
 * Throws 403 if a machine already uses this node's identity. `item`: the heartbeat item of this name. The
 * grant of the token must be conditional on the row and the item being unchanged.
 */
const checkFirstToken = (row: LiveRow, item: HeartbeatItem | undefined, now: EpochMs): void => {
  const node: Node = row.object;
  if (isReleased(node)) return;
  const why = hadToken(node, now) ?? wasHeard(row, item);
  const { name } = node.metadata;
  if (why !== undefined)
    throw forbidden(
      { resource: 'nodes', name },
      `node "${name}" ${why}; it renews its token itself, or an administrator releases it: rollcall token --release ${name}`,
    );
};

/** The Node with the expiry of its newest token, and no longer released. */
const afterGrant = (node: Node, expiresAt: EpochMs): Node => {
  const end = Math.max(expiresAt, tokenEndOf(node) ?? 0);
  const granted = withAnnotation(node.metadata, TOKEN_EXPIRY_ANNOTATION, toTime(end));
  return { ...node, metadata: withAnnotation(granted, TOKEN_RELEASED_ANNOTATION, undefined) };
};

const limitOn = ({ user: { limits } }: Call, node: Node): Partial<TokenLimit> =>
  limits ? limitOnToken(limits, node) : {};

const grant = (
  { call, ttl, seen }: Asked,
  given: Row | undefined,
  now: EpochMs,
): Granted & { readonly change: ObjectWrite; readonly usedUp?: StatusError } => {
  const row = liveNode(call, given);
  const node: Node = row.object;
  if (nodeNameOf(call.user) !== undefined) checkNodeToken(call.user, node);
  const limit = limitOn(call, node);
  if (seen) checkFirstToken(row, seen.item, now);
  const expiresAt = now + ttl * 1000;
  const unmoved = seen && {
    heartbeat: {
      effect: 'unmoved',
      node: node.metadata.name,
      observedAt: seen.item?.observedAt,
    } as const,
  };
  const use = optional('tokenUse', limit.tokenUse);
  const change = { next: afterGrant(node, expiresAt), writer: 'controller', ...unmoved, ...use } as const;
  return { node, expiresAt, now, change, ...optional('usedUp', limit.tokenUse && limit.usedUp) };
};

const MAX_TRIES = 5;

/** Records the grant in the Node. `undefined`, or what a limited token is told: a heartbeat of the node arrived meanwhile, or the token is used up. */
const tryGrant = async (asked: Asked, deps: ApiServerDeps): Promise<Granted | StatusError | undefined> => {
  let granted: Granted | undefined;
  let refusal: StatusError | undefined;
  const key = { resource: 'nodes', namespace: '', name: asked.call.info.name };
  const { outcome } = await deps.writer.write(key, (row, now) => {
    const { change, usedUp, ...grants } = grant(asked, row, now);
    granted = grants;
    refusal = usedUp;
    return change;
  });
  return outcome === 'checkFailed' ? refusal : granted;
};

const isForFirstToken = ({ user, info }: Call): boolean => !isAdmin(user) && nodeNameOf(user) !== info.name;

const granted = async (call: Call, ttl: number, deps: ApiServerDeps): Promise<Granted> => {
  const { name } = call.info;
  let refusal: StatusError | undefined;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const seen = isForFirstToken(call)
      ? { seen: { item: await deps.heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name }) } }
      : {};
    const done = await tryGrant({ call, ttl, ...seen }, deps);
    if (done && !(done instanceof StatusError)) return done;
    refusal = done;
  }
  throw refusal ?? conflict({ resource: 'nodes', name });
};

/**
 * Issues a token that carries the Node's uid. The same write that grants it records in the Node that a token was
 * issued, so of two concurrent bootstrappers only one gets a token. Throws 400, 401, 403, 404 and 409.
 */
export const nodeToken: Handle<ApiServerDeps> = async (call, deps) => {
  if (isDryRun(call.request, 'CreateOptions')) throw badRequest(NO_DRY_RUN);
  const ttl = readLifetime(call.request, LIFETIME);
  const { node, expiresAt, now } = await granted(call, ttl, deps);
  const { name, uid = '' } = node.metadata;
  const claims = { name: `${NODE_USER_PREFIX}${name}`, groups: [GROUP_NODES], nodeUid: uid };
  const authority = { signingKeys: deps.signingKeys, clusterId: deps.config.clusterId };
  const token = await issueToken(authority, { ...claims, issuedAt: now, expiresAt });
  return created({
    kind: 'NodeToken',
    apiVersion: 'rollcall.dev/v1',
    metadata: { name, uid },
    status: { token, expirationTimestamp: toTime(expiresAt) },
  });
};
