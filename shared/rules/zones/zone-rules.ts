import type { FULL_DISRUPTION } from '../../kube/types/lifecycle-policy.ts';
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';

/** The settings that decide state and rate of one zone: of the configuration, or of policies. */
export interface ZoneRules
  extends Pick<
    NodeLifecycleConfig,
    'nodeEvictionRate' | 'secondaryNodeEvictionRate' | 'largeClusterSizeThreshold' | 'unhealthyZoneThreshold'
  > {
  /** What happens in a zone without a ready node, while other zones have some. Absent: `Evict`, as in Kubernetes. */
  readonly fullDisruption?: (typeof FULL_DISRUPTION)[number];
  /** Nodes per second that may become Unknown while the zone is disrupted. Absent: all at once. */
  readonly pacedNotReadyRate?: number;
  /** Names and generations of the policies that hold for the whole zone; absent: none does. */
  readonly policies?: string;
}
