/** Terms that choose nodes and pods: affinity, spread constraints, topologies. Source: core v1.34 `types.go`. */
import type { LabelSelector } from './meta.ts';

export interface NodeSelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchFields?: readonly NodeSelectorRequirement[];
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
}

export interface PreferredSchedulingTerm {
  readonly weight?: number;
  readonly preference?: NodeSelectorTerm;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
  };
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
}

export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
}

/** The part of a spread constraint or an affinity term that chooses pods. */
export interface KeyedSelector {
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/** A term of affinity between Pods. */
export interface PodAffinityTerm extends KeyedSelector {
  readonly namespaceSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly topologyKey?: string;
}

export interface WeightedPodAffinityTerm {
  readonly weight?: number;
  readonly podAffinityTerm?: PodAffinityTerm;
}

/** `podAffinity` and `podAntiAffinity` have the same shape. */
export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface Spread extends Omit<KeyedSelector, 'mismatchLabelKeys'> {
  readonly maxSkew?: number;
  readonly topologyKey?: string;
  readonly whenUnsatisfiable?: string;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
}

/** A term of `allowedTopologies`: a node must have each label with one of its values. */
export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly { readonly key?: string; readonly values?: readonly string[] }[];
}
