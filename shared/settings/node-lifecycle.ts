/** Tunables of the node lifecycle, named as in kube-controller-manager, and the only list of their defaults. */

/** Values of the tunables, as the rules take them. */
export interface NodeLifecycleConfig {
  /** Milliseconds between two passes of the node monitor. Kubernetes: `--node-monitor-period` 5 s. */
  readonly nodeMonitorPeriodMs: number;
  /** Milliseconds without a heartbeat after which Ready becomes Unknown. Kubernetes: 40 s, since 1.32 50 s. */
  readonly nodeMonitorGracePeriodMs: number;
  /** The same for a node that has no Ready condition yet. Kubernetes: `--node-startup-grace-period` 60 s. */
  readonly nodeStartupGracePeriodMs: number;
  /** Nodes per second and zone that may get a NoExecute taint. Kubernetes: `--node-eviction-rate` 0.1. */
  readonly nodeEvictionRate: number;
  /** The same in a partially disrupted large zone. Kubernetes: `--secondary-node-eviction-rate` 0.01. */
  readonly secondaryNodeEvictionRate: number;
  /** A zone is large with more nodes than this. Kubernetes: `--large-cluster-size-threshold` 50. */
  readonly largeClusterSizeThreshold: number;
  /**
   * Share of nodes not ready from which a zone is partially disrupted. Kubernetes: `--unhealthy-zone-threshold` 0.55.
   */
  readonly unhealthyZoneThreshold: number;
}

/** Kubernetes' defaults, except the grace period: 40 s as before 1.32, for sooner detection. */
export const NODE_LIFECYCLE_DEFAULTS: NodeLifecycleConfig = {
  nodeMonitorPeriodMs: 5_000,
  nodeMonitorGracePeriodMs: 40_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};
