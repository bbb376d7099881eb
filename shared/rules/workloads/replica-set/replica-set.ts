/** What a ReplicaSet does with its pods. Source: kubernetes v1.34 pkg/controller/replicaset `manageReplicas`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { claimChildren } from '../children/children.ts';
import { isActive } from '../children/pod-state.ts';
import { inScaleDownOrder } from './scale-down-order.ts';

/** The most pods that one decision creates or deletes. Kubernetes: `BurstReplicas`. */
export const BURST_REPLICAS = 500;

/** What one run of a ReplicaSet does. */
export interface ReplicaSetDecision {
  readonly adopt: readonly Pod[];
  readonly release: readonly Pod[];
  /** Number of pods to create. */
  readonly create: number;
  /** Pods to delete, first to last. */
  readonly delete: readonly Pod[];
  /** The pods that count, with those to adopt and to delete. */
  readonly active: readonly Pod[];
  /** Pods that are wanted minus pods that count, without the limit of one decision. */
  readonly missing: number;
}

/** What a ReplicaSet decides from. */
export interface ReplicaSetView {
  readonly owner: Workload;
  /** Pods that name the owner, and pods of its namespace that it may adopt. */
  readonly pods: readonly Pod[];
  /** The active pods of all ReplicaSets of the same Deployment; its own ones if it has none. */
  readonly related?: readonly Pod[];
}

/** How many pods the ReplicaSet wants. */
export const replicasOf = ({ spec }: Workload): number => spec?.replicas ?? 1;

/** Decides at `now` (ms) what a ReplicaSet does with its pods (W-48 to W-50). */
export const decideReplicas = (
  { owner, pods, related }: ReplicaSetView,
  now: EpochMs,
): ReplicaSetDecision => {
  const candidates = pods.filter(isActive);
  const { keep, adopt, release } = claimChildren(owner, owner.spec?.selector, candidates);
  const active = [...keep, ...adopt];
  const missing = owner.metadata.deletionTimestamp === undefined ? replicasOf(owner) - active.length : 0;
  const surplus = Math.min(Math.max(-missing, 0), BURST_REPLICAS);
  return {
    adopt,
    release,
    create: Math.min(Math.max(missing, 0), BURST_REPLICAS),
    delete: surplus === 0 ? [] : inScaleDownOrder(active, related ?? active, now).slice(0, surplus),
    active,
    missing,
  };
};
