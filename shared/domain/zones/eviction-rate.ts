/** The rate of NoExecute taints in a zone: `nodeEvictionRate`, the secondary rate of large zones, or none. */
import type { NodeLifecycleConfig } from '../../config/node-lifecycle.ts';
import type { ZoneState } from './zone-state.ts';

/** The settings that decide the rate. */
export type EvictionRates = Pick<
  NodeLifecycleConfig,
  'nodeEvictionRate' | 'secondaryNodeEvictionRate' | 'largeClusterSizeThreshold'
>;

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

/** Whether the stored rate is one that the current settings give for the state; otherwise the settings have changed. */
export const isConfiguredRate = ({ state, rate }: StoredZone, config: EvictionRates): boolean => {
  if (rate === 0 && state !== 'Normal') return true;
  return (
    rate === (state === 'PartialDisruption' ? config.secondaryNodeEvictionRate : config.nodeEvictionRate)
  );
};
