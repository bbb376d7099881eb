import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import type {
  ControlStore,
  PassRecord,
  ZonePassWrite,
  ZoneRecord,
} from '../../../shared/ports/store/control-store.ts';
import type { StoredZone } from '../../../shared/rules/zones/eviction-rate.ts';
import { boundLimiter, changeRate, newLimiter } from '../../../shared/rules/zones/rate-limiter.ts';
import type { ZoneDecision } from '../../../shared/rules/zones/zone-disruption.ts';
import { storedZone } from '../../../shared/rules/zones/zone-facts.ts';
import type { WaitingNode } from '../../../shared/rules/zones/zone-lists.ts';
import { longestWaiting } from '../../../shared/rules/zones/zone-lists.ts';
import { zoneIdOf } from '../../../shared/rules/zones/zone-names.ts';
import type { ZoneCount } from '../../../shared/rules/zones/zone-state.ts';
import { isCurrentZone } from '../../../shared/store/beats/zone-records.ts';
import type { Judgement } from './judgement.ts';

/** How often the write of a zone is tried: the node-eviction controller may take a token in between. */
const WRITE_TRIES = 5;

const noNodes = () => ({ ready: 0, notReady: 0 });

/** Counts the ready and unready nodes of each zone, by the pass's decisions. A zone that has only excluded nodes gets zeros. */
export const countZones = (fleet: readonly Judgement[]): ReadonlyMap<string, ZoneCount> => {
  const zones = new Map<string, { ready: number; notReady: number }>();
  let [zone, count]: [string | undefined, { ready: number; notReady: number }] = [undefined, noNodes()];
  for (const { row, ready, isHeldBack } of fleet) {
    // Nodes of one zone mostly follow each other, so the map is rarely needed.
    if (row.zone !== zone) {
      zone = row.zone;
      count = zones.get(zone) ?? noNodes();
      zones.set(zone, count);
    }
    if (row.excludeDisruption) continue;
    if (ready === 'True' && !isHeldBack) count.ready += 1;
    else count.notReady += 1;
  }
  return zones;
};

/** Nodes that wait for a NoExecute taint, by zone. `since` (ms) is when they became unready. */
export const waitingByZone = (
  fleet: readonly Judgement[],
  now: EpochMs,
): ReadonlyMap<string, readonly WaitingNode[]> => {
  const zones = new Map<string, WaitingNode[]>();
  for (const { row, health, noExecute } of fleet) {
    if (noExecute.action !== 'queue') continue;
    const since = health.action === 'none' ? (row.readyTransitionAt ?? now) : now;
    const waiting = zones.get(row.zone) ?? [];
    waiting.push({ name: row.name, since });
    zones.set(row.zone, waiting);
  }
  return zones;
};

/** State and rate of each zone by key, as the last pass stored them. Leaves out void records. */
export const storedZones = (
  records: readonly ZoneRecord[],
  pass: PassRecord,
): ReadonlyMap<string, StoredZone> =>
  new Map(records.filter((zone) => isCurrentZone(zone, pass)).map((zone) => [zone.key, storedZone(zone)]));

/** What a pass found out about a zone. */
export interface ZoneFinding {
  /** Key of the zone, made of region and zone labels. */
  readonly key: string;
  readonly decision: ZoneDecision;
  /** Why it is another one than the last pass left, see `zoneChange`. */
  readonly reason?: string | undefined;
  readonly waiting: readonly WaitingNode[];
  /** Silent nodes that keep their Ready until their turn. */
  readonly heldBack: number;
}

export interface ZoneView {
  /** Number of the pass. */
  readonly pass: number;
  /** Start of the pass, ms. */
  readonly now: EpochMs;
  /** Time between two passes. */
  readonly periodMs: number;
}

/** When and why the zone changed, by this pass or an earlier one. */
const changeOf = (
  reason: string | undefined,
  stored: ZoneRecord | undefined,
  { now }: ZoneView,
): Pick<ZonePassWrite, 'changedAt' | 'reason'> => {
  if (reason !== undefined) return { changedAt: now, reason };
  return stored?.changedAt === undefined ? {} : { changedAt: stored.changedAt, reason: stored.reason ?? '' };
};

const recordOf = (
  { key, decision, reason, waiting, heldBack }: ZoneFinding,
  stored: ZoneRecord | undefined,
  view: ZoneView,
  limitedAt: EpochMs,
): ZonePassWrite => {
  const { pass, now, periodMs } = view;
  const { state, size, notReady, rate, isHeld, policies } = decision;
  return {
    id: zoneIdOf(key),
    key,
    state,
    size,
    notReady,
    limiter: stored
      ? changeRate(boundLimiter(stored.limiter, limitedAt), rate, limitedAt)
      : newLimiter(rate, limitedAt),
    waiting: rate > 0 ? longestWaiting(waiting, rate, periodMs) : [],
    waitingCount: waiting.length,
    ...changeOf(reason, stored, view),
    ...optional('policies', policies),
    ...(isHeld ? { isHeld } : {}),
    ...(heldBack > 0 ? { heldBack } : {}),
    pass,
    updatedAt: now,
  };
};

/**
 * Writes what the pass found out about a zone. If the node-eviction controller takes a token in between, the zone is read again
 * and that token stays taken; the limiter is therefore computed for the instant after each read. Returns the record now and the
 * one before; `undefined` if a later pass has written the zone, or after five attempts.
 */
export const writeZone = async (
  control: Pick<ControlStore, 'zone' | 'writeZone'>,
  finding: ZoneFinding,
  read: ZoneRecord | undefined,
  view: ZoneView,
  clock: Pick<Clock, 'now'> = { now: () => view.now },
): Promise<{ readonly zone: ZoneRecord; readonly before: ZoneRecord | undefined } | undefined> => {
  let before = read;
  for (let tries = 0; tries < WRITE_TRIES; tries += 1) {
    const zone = recordOf(finding, before, view, clock.now());
    if (await control.writeZone(zone, before?.limiter)) {
      const wakeAt = before?.wakeAt;
      return { zone: { ...zone, ...optional('wakeAt', wakeAt) }, before };
    }
    before = await control.zone(zone.id);
    if (before && before.pass >= view.pass) return undefined;
  }
  return undefined;
};
