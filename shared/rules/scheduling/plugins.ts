/** The plugins in the order of the default profile. Source: kubernetes v1.34 scheduler `default_plugins.go`. */
import type { FilterPlugin, ScorePlugin } from './cluster/framework.ts';
import { countingFilter } from './filters/counting-filter.ts';
import { interPodAffinityRefusal, interPodAffinityState } from './filters/inter-pod-affinity.ts';
import { nodeAffinityFilter, nodeAffinityScore, requiredNodeAffinity } from './filters/node-affinity.ts';
import { nodeNameFilter, nodePortsFilter, nodeUnschedulableFilter } from './filters/node-filters.ts';
import { nodeResourcesFitFilter } from './filters/resources-fit.ts';
import { taintTolerationFilter, taintTolerationScore } from './filters/taint-toleration.ts';
import { spreadRefusal, spreadState } from './filters/topology-spread.ts';
import type { NamespaceLabels } from './pods/placement.ts';
import { imageLocalityScore } from './scores/image-locality.ts';
import { INTER_POD_AFFINITY_WEIGHT, interPodAffinityScores } from './scores/inter-pod-affinity-score.ts';
import { balancedAllocationScore, nodeResourcesFitScore } from './scores/resources-score.ts';
import { spreadScores, TOPOLOGY_SPREAD_WEIGHT } from './scores/topology-spread-score.ts';
import { volumeBindingFilter } from './volumes/volume-binding.ts';
import { nodeVolumeLimitsFilter } from './volumes/volume-limits.ts';
import { volumeRestrictionsFilter } from './volumes/volume-restrictions.ts';
import { volumeZoneFilter } from './volumes/volume-zone.ts';

/** The plugins that one profile of the scheduler uses. */
export interface Profile {
  /** The first filter that refuses a node says why. */
  readonly filters: readonly FilterPlugin[];
  readonly scores: readonly ScorePlugin[];
}

/** The name of the plugin that spreads pods. */
export const SPREAD = 'PodTopologySpread';
/** The name of the plugin that keeps pods apart or together. */
export const AFFINITY = 'InterPodAffinity';

const NO_NAMESPACES: NamespaceLabels = new Map();

/**
 * Keeps pods off nodes that would make a hard constraint uneven. Source: kubernetes v1.34 scheduler plugin `podtopologyspread`.
 */
const topologySpreadFilter: FilterPlugin = {
  name: SPREAD,
  preFilter: (pod, cluster) => {
    const state = spreadState(pod, cluster, requiredNodeAffinity(pod));
    if (state.constraints.length === 0) return undefined;
    return { filter: countingFilter(cluster, ({ node }, change) => spreadRefusal(state, node, change)) };
  },
};

/**
 * Keeps pods apart or together, as they and the running pods require. Source: kubernetes v1.34 scheduler plugin
 * `interpodaffinity`.
 */
const interPodAffinityFilter: FilterPlugin = {
  name: AFFINITY,
  preFilter: (pod, cluster) => {
    const state = interPodAffinityState(pod, cluster, cluster.namespaces ?? NO_NAMESPACES);
    return {
      filter: countingFilter(cluster, ({ node }, change) => interPodAffinityRefusal(state, node, change)),
    };
  },
};

/** Prefers domains with fewer pods of the same kind. */
const topologySpreadScore: ScorePlugin = {
  name: SPREAD,
  weight: TOPOLOGY_SPREAD_WEIGHT,
  score: (pod, nodes, cluster) =>
    spreadScores(pod, cluster, nodes, requiredNodeAffinity(pod), cluster.owners),
};

/** Prefers nodes near pods that the pod or they themselves prefer. */
const interPodAffinityScore: ScorePlugin = {
  name: AFFINITY,
  weight: INTER_POD_AFFINITY_WEIGHT,
  score: (pod, nodes, cluster) =>
    interPodAffinityScores(pod, cluster, nodes, cluster.namespaces ?? NO_NAMESPACES),
};

/** The default profile. */
export const DEFAULT_PROFILE: Profile = {
  filters: [
    nodeUnschedulableFilter,
    nodeNameFilter,
    taintTolerationFilter,
    nodeAffinityFilter,
    nodePortsFilter,
    nodeResourcesFitFilter,
    volumeRestrictionsFilter,
    nodeVolumeLimitsFilter,
    volumeBindingFilter,
    volumeZoneFilter,
    topologySpreadFilter,
    interPodAffinityFilter,
  ],
  scores: [
    taintTolerationScore,
    nodeAffinityScore,
    topologySpreadScore,
    interPodAffinityScore,
    nodeResourcesFitScore,
    balancedAllocationScore,
    imageLocalityScore,
  ],
};
