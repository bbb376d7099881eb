import { optional } from '../../kube/values/optional.ts';
import { evictionRate, isConfiguredRate, type StoredZone } from './eviction-rate.ts';
import type { ZoneRules } from './zone-rules.ts';
import { computeZoneState, type ZoneCount, type ZoneState } from './zone-state.ts';

/** The settings of a zone, by its key. */
export type RulesOfZone = (zone: string) => ZoneRules;

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

/** Whether the whole cluster enters, stays in or leaves full disruption, in which nothing is tainted. */
export type DisruptionMode =
  | 'unchanged'
  | 'enterFullDisruption'
  | 'remainFullDisruption'
  | 'leaveFullDisruption';

/** The zones after a pass, by zone key. */
export interface DisruptionDecision {
  readonly mode: DisruptionMode;
  readonly zones: ReadonlyMap<string, ZoneDecision>;
  /** Stored zones without any node, to be deleted. */
  readonly dropped: readonly string[];
}

type Stored = ReadonlyMap<string, StoredZone>;
type Counted = ReadonlyMap<string, ZoneCount>;

const sizeOf = ({ ready, notReady }: ZoneCount): number => ready + notReady;

/**
 * Full disruption also requires rate 0: a zone that kept its rate because another zone was healthy was not part of it. Neither was one whose
 * own settings hold evictions.
 */
const wasFull = (zone: StoredZone | undefined): boolean =>
  zone?.state === 'FullDisruption' && zone.rate === 0 && zone.isHeld !== true;

/** The mode of the cluster: all of `counted` have a say that have counted nodes. */
export const disruptionMode = (stored: Stored, counted: Counted, rules: RulesOfZone): DisruptionMode => {
  const voting = [...counted].filter(([, count]) => sizeOf(count) > 0);
  if (voting.length === 0) return 'unchanged';
  const allAre = voting.every(([zone, count]) => computeZoneState(count, rules(zone)) === 'FullDisruption');
  const allWere = voting.every(([zone]) => wasFull(stored.get(zone)));
  if (allAre) return allWere ? 'remainFullDisruption' : 'enterFullDisruption';
  return allWere ? 'leaveFullDisruption' : 'unchanged';
};

/** Whether no node is tainted in any zone. */
export const isStopped = (mode: DisruptionMode): boolean =>
  mode === 'enterFullDisruption' || mode === 'remainFullDisruption';

const rateOf = (
  mode: DisruptionMode,
  state: ZoneState,
  size: number,
  zone: StoredZone | undefined,
  rules: ZoneRules,
): number => {
  if (isStopped(mode)) return 0;
  // Only a change of state or settings changes the rate: a zone whose size alone changes keeps its rate.
  const isKept = mode === 'unchanged' && zone?.state === state && size > 0 && isConfiguredRate(zone, rules);
  return isKept ? zone.rate : evictionRate(state, size, rules);
};

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
  const size = sizeOf(count);
  const state = isStopped(mode) ? 'FullDisruption' : computeZoneState(count, rules);
  const rate = rateOf(mode, state, size, zone, rules);
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
  stored: Stored,
  counted: Counted,
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
