/** Plain heartbeats: POST /apis/rollcall.dev/v1/nodes/{name}/heartbeat. */
import { badRequest, notFound } from '../../kube/errors/status-error.ts';
import type { Beat, HeartbeatItem } from '../../ports/store/heartbeats.ts';
import { checkBodySize, checkMediaType, HEARTBEAT_BODY_LIMIT, parseJson } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';
import type { HttpRequest } from '../contract/http.ts';
import { ok } from '../contract/http.ts';
import { heartbeatExpiry } from './expiry.ts';

/** Heartbeats that must fit into a grace period, unless a setting says less: one may be lost and the next one late. */
const BEATS_PER_GRACE = 4;

/** The seconds that a heartbeat asks for until the next one. Throws 400, 413 and 415. */
export const readInterval = (request: HttpRequest): number | undefined => {
  checkBodySize(request, HEARTBEAT_BODY_LIMIT);
  if (request.body.byteLength === 0) return undefined;
  checkMediaType(request, 'application/json');
  const value = parseJson(request.body, (complaint) => badRequest(`the heartbeat is not JSON: ${complaint}`));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the heartbeat must be a JSON object, such as {"intervalSeconds": 10}, or empty');
  const { intervalSeconds: interval } = value as { readonly intervalSeconds?: unknown };
  if (interval === undefined) return undefined;
  if (typeof interval === 'number' && Number.isFinite(interval) && interval > 0) return interval;
  throw badRequest('intervalSeconds must be a number above 0');
};

/**
 * Seconds until the next heartbeat or batch: what the sender wants (seconds), but at least four within the grace period
 * (ms), or those of an interval of the settings (seconds) that is longer.
 */
export const nextHeartbeatSeconds = (wanted: number, gracePeriodMs: number, setSeconds = 0): number => {
  const most = Math.max(setSeconds, Math.floor(gracePeriodMs / 1000 / BEATS_PER_GRACE));
  return Math.max(1, Math.min(wanted, most));
};

/** The body of the answer to a heartbeat at `at` (ms). */
export const receiptOf = (
  item: HeartbeatItem,
  interval: number | undefined,
  at: number,
  { config }: Pick<HeartbeatServerDeps, 'config'>,
) => ({
  kind: 'HeartbeatReceipt',
  apiVersion: 'rollcall.dev/v1',
  node: item.name,
  observedAt: new Date(item.observedAt ?? at).toISOString(),
  graceSeconds: config.nodeMonitorGracePeriodMs / 1000,
  nextHeartbeatSeconds: nextHeartbeatSeconds(
    interval ?? config.heartbeatIntervalSeconds,
    config.nodeMonitorGracePeriodMs,
    config.heartbeatIntervalSeconds,
  ),
  workRevision: String(item.workRevision ?? 0),
});

/**
 * Creates the item again if it is gone although its Node exists. Throws 404 when there is no such Node, or one
 * with another uid.
 */
export const remakeItem = async (
  beat: Beat,
  { objects, heartbeats }: HeartbeatServerDeps,
): Promise<HeartbeatItem> => {
  const row = await objects.read({ resource: 'nodes', namespace: '', name: beat.node });
  const missing = notFound({ resource: 'nodes', name: beat.node });
  if (row?.state !== 'live' || (beat.uid !== undefined && beat.uid !== row.uid)) throw missing;
  const again = await heartbeats.remake({ ...beat, uid: row.uid });
  if (again.outcome === 'refused') throw missing;
  return again.item;
};

/** The heartbeat of a call, now. */
export const beatOf = ({ info, user }: Call, deps: Pick<HeartbeatServerDeps, 'clock' | 'config'>): Beat => {
  const at = deps.clock.now();
  const uid = user.nodeUid === undefined ? {} : { uid: user.nodeUid };
  return { node: info.name, source: 'plain', at, ...uid, expiresAt: heartbeatExpiry(at, deps) };
};

/** POST of a heartbeat: one write and no read while the node's item exists. Throws 400 and 404. */
export const heartbeat: Handle<HeartbeatServerDeps> = async (call, deps) => {
  const interval = readInterval(call.request);
  const beat = beatOf(call, deps);
  const beaten = await deps.heartbeats.beat(beat);
  const item = beaten.outcome === 'accepted' ? beaten.item : await remakeItem(beat, deps);
  return ok(receiptOf(item, interval, beat.at, deps));
};
