import type { NodeLifecycleConfig } from '../../config/node-lifecycle.ts';
import { type EvictionRates, evictionRate, isConfiguredRate, type StoredZone } from './eviction-rate.ts';
import { computeZoneState, type ZoneCount, type ZoneState } from './zone-state.ts';

type DisruptionConfig = EvictionRates & Pick<NodeLifecycleConfig, 'unhealthyZoneThreshold'>;

/** The state and the rate of one zone after a pass. */
export interface ZoneDecision {
  readonly state: ZoneState;
  /** Counted nodes. */
  readonly size: number;
  readonly notReady: number;
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
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

/** Full disruption also requires rate 0: a zone that kept its rate because another zone was healthy was not part of it. */
const wasFull = (zone: StoredZone | undefined): boolean =>
  zone?.state === 'FullDisruption' && zone.rate === 0;

const modeOf = (stored: Stored, counted: Counted, config: DisruptionConfig): DisruptionMode => {
  const voting = [...counted].filter(([, count]) => sizeOf(count) > 0);
  if (voting.length === 0) return 'unchanged';
  const allAre = voting.every(([, count]) => computeZoneState(count, config) === 'FullDisruption');
  const allWere = voting.every(([zone]) => wasFull(stored.get(zone)));
  if (allAre) return allWere ? 'remainFullDisruption' : 'enterFullDisruption';
  return allWere ? 'leaveFullDisruption' : 'unchanged';
};

const rateOf = (
  mode: DisruptionMode,
  state: ZoneState,
  size: number,
  zone: StoredZone | undefined,
  config: DisruptionConfig,
): number => {
  if (mode === 'enterFullDisruption' || mode === 'remainFullDisruption') return 0;
  // Only a change of state changes the rate: a zone whose size alone changes keeps its rate.
  const isKept = mode === 'unchanged' && zone?.state === state && size > 0 && isConfiguredRate(zone, config);
  return isKept ? zone.rate : evictionRate(state, size, config);
};

const zoneDecision = (
  mode: DisruptionMode,
  count: ZoneCount,
  zone: StoredZone | undefined,
  config: DisruptionConfig,
): ZoneDecision => {
  const size = sizeOf(count);
  const isStopped = mode === 'enterFullDisruption' || mode === 'remainFullDisruption';
  const state = isStopped ? 'FullDisruption' : computeZoneState(count, config);
  return { state, size, notReady: count.notReady, rate: rateOf(mode, state, size, zone, config) };
};

/**
 * Decides the zones in one pass: the mode, each zone's state and rate, and which stored zones to drop.
 * A zone whose nodes are all excluded is `counted` with zeros: it has no vote on full disruption and is not dropped.
 * Zones are dropped only if the pass saw all nodes (`isComplete`).
 * Source: kubernetes v1.34 nodelifecycle `handleDisruption`.
 */
export const decideDisruption = (
  stored: Stored,
  counted: Counted,
  config: DisruptionConfig,
  isComplete: boolean,
): DisruptionDecision => {
  const mode = modeOf(stored, counted, config);
  const zones = new Map(
    [...counted].map(([zone, count]) => [zone, zoneDecision(mode, count, stored.get(zone), config)]),
  );
  const dropped = isComplete ? [...stored.keys()].filter((zone) => !counted.has(zone)) : [];
  return { mode, zones, dropped };
};
