/** What the rules of topology spread, affinity between pods and preemption read and answer. */
import type { Node, Pod } from '../../api/core.ts';

/** A node and the pods bound to it, without those that have succeeded or failed; terminating ones are among them. */
export interface PopulatedNode {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** Pods that a rule imagines to be gone from a node, or to be on it in addition. */
export interface PodChange {
  readonly removed?: readonly Pod[];
  readonly added?: readonly Pod[];
}

/** Why a node does not take a pod, in Kubernetes' words. */
export interface PlacementRefusal {
  readonly reasons: readonly string[];
  /** Whether the node might take the pod if other pods left it: Kubernetes' `Unschedulable`, not `UnschedulableAndUnresolvable`. */
  readonly isResolvable: boolean;
}

/** Labels by the name of the namespace. */
export type NamespaceLabels = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** The highest score that a scoring rule gives to a node, before its weight. Source: kubernetes v1.34 `MaxNodeScore`. */
export const MAX_NODE_SCORE = 100;
