/** rollcall.dev/v1 Zones: the results of the monitor's passes as read-only objects. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { notFound } from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import { toTime } from '../../kube/values/time.ts';
import type { ControlStore, ZoneRecord } from '../../ports/store/control-store.ts';
import { isCurrentZone } from '../../store/beats/zone-records.ts';
import type { Scan, Scanned } from '../changes/scan.ts';
import type { Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';
import { readListOptions } from '../request/list-options.ts';
import { listOf } from '../verbs/list.ts';
import { answerWatch } from '../verbs/watch.ts';
import { watchedByScan } from '../watch/watched-by-scan.ts';

/** The kind Zone and its resource. */
export const ZONE_KIND: ServedKind = {
  group: 'rollcall.dev',
  version: 'v1',
  kind: 'Zone',
  resource: 'zones',
  namespaced: false,
};

const SEPARATOR = ':\0:';

const statusOf = (zone: ZoneRecord) => ({
  state: zone.state,
  nodes: zone.size,
  notReadyNodes: zone.notReady,
  evictionRate: zone.limiter.rate,
  nextEvictionTime: toTime(zone.limiter.nextAt),
  waitingNodes: zone.waitingCount,
  waiting: zone.waiting,
  ...optional('lastChangeTime', zone.changedAt === undefined ? undefined : toTime(zone.changedAt)),
  ...optional('reason', zone.reason),
  ...optional(
    'policies',
    zone.policies?.split(' ').map((one) => one.split('/')[0]),
  ),
  ...optional('wakeTime', zone.wakeAt === undefined ? undefined : toTime(zone.wakeAt)),
  pass: zone.pass,
  updateTime: toTime(zone.updatedAt),
});

/** A zone record as an API object; its resourceVersion is the time of its last write (ms). */
export const zoneObject = (zone: ZoneRecord): ApiObject & { readonly status: object } => {
  const [region = '', name = ''] = zone.key.split(SEPARATOR);
  return {
    kind: ZONE_KIND.kind,
    apiVersion: 'rollcall.dev/v1',
    metadata: { name: zone.id, resourceVersion: String(zone.updatedAt) },
    spec: { region, zone: name },
    status: statusOf(zone),
  } as ApiObject & { readonly status: object };
};

/** The current records; those from a pass before the end of a full disruption are outdated. */
const currentZones = async (control: ControlStore): Promise<readonly ZoneRecord[]> => {
  const [zones, pass] = await Promise.all([control.zones(), control.readPass()]);
  return zones.filter((zone) => isCurrentZone(zone, pass)).sort((a, b) => (a.id < b.id ? -1 : 1));
};

/** GET of the collection. */
export const listZones: Handle<ApiServerDeps> = async ({ request }, { control, clock }) => {
  const { matches } = readListOptions(request.query, ZONE_KIND, () => ({}));
  const zones = await currentZones(control);
  const revision = zones.reduce((newest, { updatedAt }) => Math.max(newest, updatedAt), 0) || clock.now();
  return ok(listOf(ZONE_KIND, { revision, objects: zones.map(zoneObject).filter(matches) }));
};

/** Milliseconds between two reads of the zones while a watch is open. */
const WATCH_EVERY_MS = 1_000;

const scannedZone = (zone: ZoneRecord): Scanned => {
  const object = zoneObject(zone);
  return { path: zone.id, version: zone.updatedAt, object, remains: object, createdAt: 0 };
};

const scanZones = async (control: ControlStore): Promise<Scan> =>
  new Map((await currentZones(control)).map((zone) => [zone.id, scannedZone(zone)]));

/** GET of the collection with `watch`. */
export const watchZones: Handle<ApiServerDeps> = async (call, deps) => {
  const { control, clock, watches } = deps;
  const watched = watches.scanned(ZONE_KIND.resource, (onError) =>
    watchedByScan({ scan: () => scanZones(control), everyMs: WATCH_EVERY_MS, lagMs: 0, clock, onError }),
  );
  return answerWatch(call, deps, { kind: ZONE_KIND, fields: () => ({}), watched });
};

/** GET of one Zone. Throws 404. */
export const getZone: Handle<ApiServerDeps> = async (call, { control }) => {
  const zone = (await currentZones(control)).find(({ id }) => id === call.info.name);
  if (!zone) throw notFound(subjectOf(call));
  return ok(zoneObject(zone));
};
