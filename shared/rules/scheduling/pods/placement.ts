/** What the rules of topology spread, affinity between pods and preemption read and answer. */
import type { Node, Pod } from '../../../kube/types/core.ts';

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

/** Labels by the name of the namespace. */
export type NamespaceLabels = ReadonlyMap<string, Readonly<Record<string, string>>>;
