import { optional } from '../../kube/values/optional.ts';
import {
  type DisruptionMode,
  disruptionMode,
  isStopped,
  type RulesOfZone,
  type StoredZones,
  wasFull,
  type ZoneCounts,
  zoneSize,
} from './disruption-mode.ts';
import { rateAfterPass, type StoredZone } from './eviction-rate.ts';
import type { ZoneRules } from './zone-rules.ts';
import { computeZoneState, type ZoneCount, type ZoneState } from './zone-state.ts';

/** The state and the rate of one zone after a pass. */
export interface ZoneDecision {
  readonly state: ZoneState;
  /** Counted nodes. */
  readonly size: number;
  readonly notReady: number;
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
  /** In full disruption with rate 0 by its own settings, and not because all zones are down. */
  readonly isHeld?: true;
  /** The policies that hold for it, see `ZoneRules`. */
  readonly policies?: string;
}

/** The zones after a pass, by zone key. */
export interface DisruptionDecision {
  readonly mode: DisruptionMode;
  readonly zones: ReadonlyMap<string, ZoneDecision>;
  /** Stored zones without any node, to be deleted. */
  readonly dropped: readonly string[];
}

/** A zone that keeps rate 0 from a full disruption of all zones is not held: it still belongs to that one. */
const isHeld = (
  mode: DisruptionMode,
  { state, rate }: Pick<ZoneDecision, 'state' | 'rate'>,
  zone: StoredZone | undefined,
): boolean =>
  state === 'FullDisruption' && rate === 0 && !isStopped(mode) && !(mode === 'unchanged' && wasFull(zone));

const zoneDecision = (
  mode: DisruptionMode,
  count: ZoneCount,
  zone: StoredZone | undefined,
  rules: ZoneRules,
): ZoneDecision => {
  const size = zoneSize(count);
  const state = isStopped(mode) ? 'FullDisruption' : computeZoneState(count, rules);
  const rate = isStopped(mode)
    ? 0
    : rateAfterPass(mode === 'unchanged' ? zone : undefined, state, size, rules);
  return {
    state,
    size,
    notReady: count.notReady,
    rate,
    ...(isHeld(mode, { state, rate }, zone) ? { isHeld: true } : {}),
    ...optional('policies', rules.policies),
  };
};

/**
 * Decides the zones in one pass: the mode, each zone's state and rate, and which stored zones to drop.
 * A zone whose nodes are all excluded is `counted` with zeros: it has no vote on full disruption and is not dropped.
 * Zones are dropped only if the pass saw all nodes (`isComplete`).
 * Source: kubernetes v1.34 nodelifecycle `handleDisruption`; settings by zone are Rollcall's own.
 */
export const decideDisruption = (
  stored: StoredZones,
  counted: ZoneCounts,
  rules: RulesOfZone,
  isComplete: boolean,
): DisruptionDecision => {
  const mode = disruptionMode(stored, counted, rules);
  const zones = new Map(
    [...counted].map(([zone, count]) => [zone, zoneDecision(mode, count, stored.get(zone), rules(zone))]),
  );
  const dropped = isComplete ? [...stored.keys()].filter((zone) => !counted.has(zone)) : [];
  return { mode, zones, dropped };
};
