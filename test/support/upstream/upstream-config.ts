import type { NodeLifecycleConfig } from '../../../shared/settings/node-lifecycle.ts';

/** The settings of the tests of kubernetes v1.34 `nodelifecycle`, for rows taken from them. */
export const UPSTREAM_TEST_CONFIG: NodeLifecycleConfig = {
  nodeMonitorPeriodMs: 5_000,
  nodeMonitorGracePeriodMs: 50_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeEvictionRate: 100_000,
  secondaryNodeEvictionRate: 100_000,
  largeClusterSizeThreshold: 20,
  unhealthyZoneThreshold: 0.55,
};
