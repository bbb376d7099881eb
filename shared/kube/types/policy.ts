/** The parts of `policy/v1` that Rollcall reads or writes. */
import type { ApiObject, Condition, LabelSelector } from './meta.ts';

export type UnhealthyPodEvictionPolicy = 'IfHealthyBudget' | 'AlwaysAllow';

export interface PodDisruptionBudgetSpec {
  /** A number of pods, or a percentage such as `50%`. */
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
  readonly selector?: LabelSelector;
  readonly unhealthyPodEvictionPolicy?: UnhealthyPodEvictionPolicy;
}

export interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number;
  /** Pods whose eviction was granted but whose deletion was not observed yet, with the time of the grant. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly conditions?: readonly Condition[];
}

export interface PodDisruptionBudget extends ApiObject {
  readonly spec?: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
}

/** Body of an eviction request. `deleteOptions` are the options of a DELETE request. */
export interface Eviction extends ApiObject {
  readonly deleteOptions?: {
    readonly gracePeriodSeconds?: number;
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
    readonly dryRun?: readonly string[];
    readonly orphanDependents?: boolean;
    readonly propagationPolicy?: string;
  };
}
