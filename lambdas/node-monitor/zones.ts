import type { EpochMs } from '../../shared/api/time.ts';
import type { StoredZone } from '../../shared/domain/zones/eviction-rate.ts';
import { boundLimiter, changeRate, newLimiter } from '../../shared/domain/zones/rate-limiter.ts';
import type { ZoneDecision } from '../../shared/domain/zones/zone-disruption.ts';
import type { WaitingNode } from '../../shared/domain/zones/zone-lists.ts';
import { longestWaiting } from '../../shared/domain/zones/zone-lists.ts';
import type { ZoneCount } from '../../shared/domain/zones/zone-state.ts';
import { zoneIdOf } from '../../shared/domain/zones/zones.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type {
  ControlStore,
  PassRecord,
  ZonePassWrite,
  ZoneRecord,
} from '../../shared/ports/control-store.ts';
import { isCurrentZone } from '../../shared/state/zone-records.ts';
import type { Judgement } from './judgement.ts';

/** Workers may take tokens while a zone is written; more often than this in a row they do not. */
const WRITE_TRIES = 5;

const noNodes = () => ({ ready: 0, notReady: 0 });

/** Counts each zone by decision. A zone of excluded nodes alone is there with zeros. */
export const countZones = (fleet: readonly Judgement[]): ReadonlyMap<string, ZoneCount> => {
  const zones = new Map<string, { ready: number; notReady: number }>();
  let [zone, count]: [string | undefined, { ready: number; notReady: number }] = [undefined, noNodes()];
  for (const { row, ready } of fleet) {
    // Fleets are mostly read zone by zone.
    if (row.zone !== zone) {
      zone = row.zone;
      count = zones.get(zone) ?? noNodes();
      zones.set(zone, count);
    }
    if (row.excludeDisruption) continue;
    if (ready === 'True') count.ready += 1;
    else count.notReady += 1;
  }
  return zones;
};

/** Nodes that wait for a NoExecute taint, by zone, since they became unready. */
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

/** Zones by key as the last pass left them, without those that must be ignored. */
export const storedZones = (
  records: readonly ZoneRecord[],
  pass: PassRecord,
): ReadonlyMap<string, StoredZone> =>
  new Map(
    records
      .filter((zone) => isCurrentZone(zone, pass))
      .map(({ key, state, limiter }) => [key, { state, rate: limiter.rate }]),
  );

export interface ZoneFinding {
  readonly key: string;
  readonly decision: ZoneDecision;
  readonly waiting: readonly WaitingNode[];
}

export interface ZoneView {
  readonly pass: number;
  readonly now: EpochMs;
  readonly periodMs: number;
}

const recordOf = (
  { key, decision, waiting }: ZoneFinding,
  stored: ZoneRecord | undefined,
  { pass, now, periodMs }: ZoneView,
  limitedAt: EpochMs,
): ZonePassWrite => {
  const { state, size, notReady, rate } = decision;
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
    pass,
    updatedAt: now,
  };
};

/**
 * Writes what the pass found of one zone; a token taken by a worker in between is read and kept, so its limiter is seen from
 * the instant after each read. Returns the record as it
 * is now and the one before; `undefined` when a later pass has written.
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
      return { zone: { ...zone, ...(wakeAt === undefined ? {} : { wakeAt }) }, before };
    }
    before = await control.zone(zone.id);
    if (before && before.pass >= view.pass) return undefined;
  }
  return undefined;
};
