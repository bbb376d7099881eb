/** The mode of the cluster: whether all zones are in full disruption, so that no node is tainted. */
import type { StoredZone } from './eviction-rate.ts';
import type { ZoneRules } from './zone-rules.ts';
import { computeZoneState, type ZoneCount } from './zone-state.ts';

/** The settings of a zone, by its key. */
export type RulesOfZone = (zone: string) => ZoneRules;

/** Whether the whole cluster enters, stays in or leaves full disruption, in which nothing is tainted. */
export type DisruptionMode =
  | 'unchanged'
  | 'enterFullDisruption'
  | 'remainFullDisruption'
  | 'leaveFullDisruption';

/** Zones as the last pass left them, by zone key. */
export type StoredZones = ReadonlyMap<string, StoredZone>;
/** Counted nodes by zone key. */
export type ZoneCounts = ReadonlyMap<string, ZoneCount>;

/** Counted nodes of a zone. */
export const zoneSize = ({ ready, notReady }: ZoneCount): number => ready + notReady;

/**
 * Full disruption also requires rate 0: a zone that kept its rate because another zone was healthy was not part of it. Neither was one whose
 * own settings hold evictions.
 */
export const wasFull = (zone: StoredZone | undefined): boolean =>
  zone?.state === 'FullDisruption' && zone.rate === 0 && zone.isHeld !== true;

/** The mode of the cluster: all of `counted` have a say that have counted nodes. */
export const disruptionMode = (
  stored: StoredZones,
  counted: ZoneCounts,
  rules: RulesOfZone,
): DisruptionMode => {
  const voting = [...counted].filter(([, count]) => zoneSize(count) > 0);
  if (voting.length === 0) return 'unchanged';
  const allAre = voting.every(([zone, count]) => computeZoneState(count, rules(zone)) === 'FullDisruption');
  const allWere = voting.every(([zone]) => wasFull(stored.get(zone)));
  if (allAre) return allWere ? 'remainFullDisruption' : 'enterFullDisruption';
  return allWere ? 'leaveFullDisruption' : 'unchanged';
};

/** Whether no node is tainted in any zone. */
export const isStopped = (mode: DisruptionMode): boolean =>
  mode === 'enterFullDisruption' || mode === 'remainFullDisruption';
