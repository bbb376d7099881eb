/** Tokens for nodes: POST /apis/rollcall.dev/v1/nodes/{name}/token. */
import type { Node } from '../api/core.ts';
import { badRequest, conflict, forbidden, notFound } from '../api/status-error.ts';
import type { EpochMs } from '../api/time.ts';
import { parseTime, toTime } from '../api/time.ts';
import { GROUP_NODES, NODE_USER_PREFIX } from '../api/well-known.ts';
import type { Row } from '../ports/object-log.ts';
import type { Change } from '../state/object-writer.ts';
import { issueToken } from './authentication.ts';
import { checkMediaType, parseJson } from './body.ts';
import type { Call, Handle } from './call.ts';
import type { ApiServerDeps } from './deps.ts';
import type { HttpRequest } from './http.ts';
import { created } from './http.ts';
import { checkNodeToken } from './node-restriction.ts';
import { TOKEN_EXPIRY_ANNOTATION, withTokenExpiration } from './strategies/nodes.ts';
import type { User } from './user.ts';
import { isAdmin, nodeNameOf } from './user.ts';

const DEFAULT_TTL_SECONDS = 24 * 60 * 60;
const MAX_TTL_SECONDS = 30 * DEFAULT_TTL_SECONDS;
const MIN_TTL_SECONDS = 60;

const readTtl = (request: HttpRequest): number => {
  if (request.body.byteLength === 0) return DEFAULT_TTL_SECONDS;
  checkMediaType(request, 'application/json');
  const value = parseJson(request.body, (complaint) =>
    badRequest(`the token request is no JSON: ${complaint}`),
  );
  const ttl = (value as { readonly ttlSeconds?: unknown } | null)?.ttlSeconds ?? DEFAULT_TTL_SECONDS;
  if (Number.isInteger(ttl) && Number(ttl) >= MIN_TTL_SECONDS && Number(ttl) <= MAX_TTL_SECONDS)
    return Number(ttl);
  throw badRequest(`ttlSeconds must be a whole number from ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS}`);
};

const livingUntil = (node: Node, now: EpochMs): string | undefined => {
  const expiry = node.metadata.annotations?.[TOKEN_EXPIRY_ANNOTATION];
  return expiry !== undefined && (parseTime(expiry) ?? 0) > now ? expiry : undefined;
};

/** A bootstrapper only starts a node: one that has a living token renews it itself. Throws 403. */
const checkBootstrap = (user: User, node: Node, now: EpochMs): void => {
  const { name } = node.metadata;
  if (isAdmin(user) || nodeNameOf(user) === name) return;
  const until = livingUntil(node, now);
  if (until !== undefined)
    throw forbidden(
      { resource: 'nodes', name },
      `node "${name}" has a token until ${until}; it renews it itself, an administrator can make another one, or the Node can be deleted and registered again`,
    );
};

interface Granted {
  readonly node: Node;
  readonly expiresAt: EpochMs;
  readonly now: EpochMs;
}

const grant = (
  { user, info }: Call,
  ttl: number,
  row: Row | undefined,
  now: EpochMs,
): Granted & { change?: Change } => {
  if (row?.state !== 'live') throw notFound({ resource: 'nodes', name: info.name });
  const node = row.object as Node;
  if (node.metadata.deletionTimestamp !== undefined)
    throw conflict({ resource: 'nodes', name: info.name }, 'the Node is being deleted: its tokens are void');
  if (nodeNameOf(user) !== undefined) checkNodeToken(user, node);
  checkBootstrap(user, node, now);
  const expiresAt = now + ttl * 1000;
  const living = parseTime(livingUntil(node, now) ?? '') ?? 0;
  if (living >= expiresAt) return { node, expiresAt, now };
  const next = withTokenExpiration(node, toTime(expiresAt));
  return { node, expiresAt, now, change: { next, writer: 'controller' } };
};

/**
 * A token that carries the Node's uid. That a node has a living token is stored in the Node, in the write that
 * grants it: of two bootstrappers at once only one gets a token.
 */
export const nodeToken: Handle<ApiServerDeps> = async (call, deps) => {
  const ttl = readTtl(call.request);
  let granted: Granted | undefined;
  await deps.writer.write({ resource: 'nodes', namespace: '', name: call.info.name }, (row, now) => {
    const { change, ...grants } = grant(call, ttl, row, now);
    granted = grants;
    return change;
  });
  if (!granted) throw notFound({ resource: 'nodes', name: call.info.name });
  const { node, expiresAt, now } = granted;
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
