/** The rate of NoExecute taints in a zone: `nodeEvictionRate`, the secondary rate of large zones, or none. */

import type { ZoneRules } from './zone-rules.ts';
import type { ZoneState } from './zone-state.ts';

/** The settings that decide the rate. */
export type EvictionRates = Pick<
  ZoneRules,
  'nodeEvictionRate' | 'secondaryNodeEvictionRate' | 'largeClusterSizeThreshold' | 'fullDisruption'
>;

const rateInFullDisruption = (rates: EvictionRates): number => {
  if (rates.fullDisruption === 'Hold') return 0;
  return rates.fullDisruption === 'Reduce' ? rates.secondaryNodeEvictionRate : rates.nodeEvictionRate;
};

/**
 * Nodes per second that may get a NoExecute taint in a zone of `zoneSize` counted nodes, while not all zones are down.
 * Source: kubernetes v1.34 nodelifecycle `setLimiterInZone`, `ReducedQPSFunc`, `HealthyQPSFunc`.
 */
export const evictionRate = (state: ZoneState, zoneSize: number, config: EvictionRates): number => {
  if (state === 'FullDisruption') return rateInFullDisruption(config);
  if (state === 'Normal') return config.nodeEvictionRate;
  return zoneSize > config.largeClusterSizeThreshold ? config.secondaryNodeEvictionRate : 0;
};

/** A zone as the last pass left it; a zone that is not stored counts as `Initial`. */
export interface StoredZone {
  readonly state: ZoneState | 'Initial';
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
  /** In full disruption with rate 0 while other zones had ready nodes. */
  readonly isHeld?: boolean;
  /** The policies that held for it, see `ZoneRules`. */
  readonly policies?: string;
}

/** Whether the stored rate is one that the current settings give for the state; otherwise the settings have changed. */
const isConfiguredRate = (
  { state, rate, isHeld = false, policies }: StoredZone,
  rules: EvictionRates & Pick<ZoneRules, 'policies'>,
): boolean => {
  if (policies !== rules.policies) return false;
  if (rate === 0 && state !== 'Normal') return !isHeld || evictionRate('FullDisruption', 0, rules) === 0;
  if (state === 'FullDisruption') return rate === rateInFullDisruption(rules);
  return rate === (state === 'PartialDisruption' ? rules.secondaryNodeEvictionRate : rules.nodeEvictionRate);
};

/**
 * Nodes per second that may get a NoExecute taint in a zone after a pass, while not all zones are down. `zone` is as the last pass left
 * it; absent after a change of mode. Only a change of state or settings changes the rate: a zone whose size alone changes keeps its rate.
 */
export const rateAfterPass = (
  zone: StoredZone | undefined,
  state: ZoneState,
  size: number,
  rules: ZoneRules,
): number => {
  const isKept = zone?.state === state && size > 0 && isConfiguredRate(zone, rules);
  return isKept ? zone.rate : evictionRate(state, size, rules);
};
