/** rollcall.dev/v1 NodeLifecyclePolicy: settings of the node lifecycle for some zones or nodes. */
import type { ApiObject, LabelSelector } from './meta.ts';

/** Nodes whose readiness comes and goes keep their NoExecute taint until they have been ready for a while. */
export interface FlapDamping {
  /** A node flaps that has lost its readiness this often … */
  readonly losses?: number;
  /** … within this time. */
  readonly withinSeconds?: number;
  /** It keeps its taint until it has been ready for so long. */
  readonly stableSeconds?: number;
}

/** When a drain of a node that still answers is requested. */
export interface DrainBeforeLost {
  /** It has been Ready=False for so long. Absent: never for this. */
  readonly notReadySeconds?: number;
  /** It flaps, by `flapDamping`. */
  readonly whenFlapping?: boolean;
  /** Its kubelet says that the machine is shutting down. */
  readonly whenShuttingDown?: boolean;
}

/** Between which lengths the grace period of a node adapts to the silences that it has survived. */
export interface AdaptiveGrace {
  readonly floorSeconds: number;
  readonly ceilingSeconds: number;
}

/** What happens in a zone without a ready node while other zones have some. */
export const FULL_DISRUPTION = ['Evict', 'Reduce', 'Hold'] as const;

/** What happens to silent nodes of a site that seems to have lost its uplink. */
export const ON_PARTITION = ['Hold', 'Evict'] as const;

export interface LifecyclePolicySpec {
  /** Names of Zones; absent: all. */
  readonly zones?: readonly string[];
  /** Labels of nodes; absent: all. */
  readonly nodeSelector?: LabelSelector;
  /** Among policies that are equally specific, a higher one wins. */
  readonly priority?: number;
  readonly nodeMonitorGracePeriodSeconds?: number;
  readonly nodeStartupGracePeriodSeconds?: number;
  readonly adaptiveGrace?: AdaptiveGrace;
  readonly flapDamping?: FlapDamping;
  readonly drainBeforeLost?: DrainBeforeLost;
  readonly onPartition?: (typeof ON_PARTITION)[number];
  readonly nodeEvictionRate?: number;
  readonly secondaryNodeEvictionRate?: number;
  readonly unhealthyZoneThreshold?: number;
  readonly largeClusterSizeThreshold?: number;
  readonly fullDisruption?: (typeof FULL_DISRUPTION)[number];
  /** Nodes per second that may become Unknown in a disrupted zone. */
  readonly pacedNotReadyRate?: number;
  readonly [field: string]: unknown;
}

/** A condition of a policy. */
export interface LifecyclePolicyCondition {
  readonly type: 'Accepted' | 'Conflicted';
  readonly status: 'True' | 'False';
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

export interface LifecyclePolicyStatus {
  readonly observedGeneration?: number;
  /** How many nodes the policy holds for. */
  readonly nodes?: number;
  /** Names of the first of them. */
  readonly nodeNames?: readonly string[];
  /** Names of the first zones of these nodes. */
  readonly zoneNames?: readonly string[];
  readonly updateTime?: string;
  readonly conditions?: readonly LifecyclePolicyCondition[];
}

export interface LifecyclePolicy extends ApiObject {
  readonly spec?: LifecyclePolicySpec;
  readonly status?: LifecyclePolicyStatus;
}

/** Fields that hold for whole zones; a policy with a `nodeSelector` cannot set them. */
export const ZONE_FIELDS = [
  'nodeEvictionRate',
  'secondaryNodeEvictionRate',
  'unhealthyZoneThreshold',
  'largeClusterSizeThreshold',
  'fullDisruption',
  'pacedNotReadyRate',
] as const;
