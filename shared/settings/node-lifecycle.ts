/** Tunables of the node lifecycle, named as in kube-controller-manager. */
import { DEFAULTS } from './defaults.ts';

/** Values of the tunables, as the rules take them. */
export interface NodeLifecycleConfig {
  /** Milliseconds between two passes of the node monitor. */
  readonly nodeMonitorPeriodMs: number;
  /** Milliseconds without a heartbeat after which Ready becomes Unknown. */
  readonly nodeMonitorGracePeriodMs: number;
  /** Milliseconds between two plain beats, if a setting says so; absent: at most a quarter of the grace period. */
  readonly heartbeatIntervalMs?: number;
  /** The same for a node that has no Ready condition yet. */
  readonly nodeStartupGracePeriodMs: number;
  /** Nodes per second and zone that may get a NoExecute taint. */
  readonly nodeEvictionRate: number;
  /** The same in a partially disrupted large zone. */
  readonly secondaryNodeEvictionRate: number;
  /** A zone is large with more nodes than this. */
  readonly largeClusterSizeThreshold: number;
  /** Share of nodes not ready from which a zone is partially disrupted. */
  readonly unhealthyZoneThreshold: number;
}

/** The defaults of these tunables. */
export const NODE_LIFECYCLE_DEFAULTS: NodeLifecycleConfig = DEFAULTS.nodeLifecycle;
