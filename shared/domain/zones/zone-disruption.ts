import type { NodeLifecycleConfig } from '../../config/node-lifecycle.ts';

export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption';

/** Nodes of a zone that count for its state: those without the exclude-disruption label. */
export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

export type EvictionRates = Pick<
  NodeLifecycleConfig,
  'nodeEvictionRate' | 'secondaryNodeEvictionRate' | 'largeClusterSizeThreshold'
>;

/** A zone with this many or fewer unready nodes is never disrupted, however small it is. */
const MOST_NOT_READY_IN_NORMAL = 2;

/** Kubernetes divides and compares in 32 bits; so do we, or a share right on the threshold would differ. */
const isAtLeast = (part: number, whole: number, threshold: number): boolean =>
  Math.fround(part / whole) >= Math.fround(threshold);

/** The state of a zone by its node counts. Source: kubernetes v1.34 nodelifecycle `ComputeZoneState`. */
export const computeZoneState = (
  { ready, notReady }: ZoneCount,
  { unhealthyZoneThreshold }: Pick<NodeLifecycleConfig, 'unhealthyZoneThreshold'>,
): ZoneState => {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  const isPartial =
    notReady > MOST_NOT_READY_IN_NORMAL && isAtLeast(notReady, ready + notReady, unhealthyZoneThreshold);
  return isPartial ? 'PartialDisruption' : 'Normal';
};

/**
 * Nodes per second that may get a NoExecute taint in a zone of `zoneSize` counted nodes, while not all zones are down.
 * Source: kubernetes v1.34 nodelifecycle `setLimiterInZone`, `ReducedQPSFunc`, `HealthyQPSFunc`.
 */
export const evictionRate = (state: ZoneState, zoneSize: number, config: EvictionRates): number => {
  if (state !== 'PartialDisruption') return config.nodeEvictionRate;
  return zoneSize > config.largeClusterSizeThreshold ? config.secondaryNodeEvictionRate : 0;
};

/** A zone as the last pass left it; a zone that is not stored counts as `Initial`. */
export interface StoredZone {
  readonly state: ZoneState | 'Initial';
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
}

export interface ZoneDecision {
  readonly state: ZoneState;
  /** Counted nodes. */
  readonly size: number;
  readonly notReady: number;
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
}

export type DisruptionMode =
  | 'unchanged'
  | 'enterFullDisruption'
  | 'remainFullDisruption'
  | 'leaveFullDisruption';

export interface DisruptionDecision {
  readonly mode: DisruptionMode;
  readonly zones: ReadonlyMap<string, ZoneDecision>;
  /** Stored zones without any node, to be deleted. */
  readonly dropped: readonly string[];
}

type DisruptionConfig = Pick<
  NodeLifecycleConfig,
  'nodeEvictionRate' | 'secondaryNodeEvictionRate' | 'largeClusterSizeThreshold' | 'unhealthyZoneThreshold'
>;

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

/** Whether the stored rate is one that the current settings give for the state; otherwise the settings have changed. */
const isConfigured = ({ state, rate }: StoredZone, config: DisruptionConfig): boolean => {
  if (rate === 0 && state !== 'Normal') return true;
  return (
    rate === (state === 'PartialDisruption' ? config.secondaryNodeEvictionRate : config.nodeEvictionRate)
  );
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
  const isKept = mode === 'unchanged' && zone?.state === state && size > 0 && isConfigured(zone, config);
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
 * A zone whose nodes are all excluded is `counted` with zeros: it has no vote on full disruption, but stays.
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
