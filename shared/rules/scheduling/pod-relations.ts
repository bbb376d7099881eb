/** The plugins about pods of other nodes. Source: kubernetes v1.34 scheduler plugins `podtopologyspread`, `interpodaffinity`. */

import type { FilterPlugin, ScorePlugin } from './cluster/framework.ts';
import { countingFilter } from './filters/counting-filter.ts';
import { interPodAffinityRefusal, interPodAffinityState } from './filters/inter-pod-affinity.ts';
import { requiredNodeAffinity } from './filters/node-affinity.ts';
import { spreadRefusal, spreadState } from './filters/topology-spread.ts';
import type { NamespaceLabels } from './pods/placement.ts';
import { INTER_POD_AFFINITY_WEIGHT, interPodAffinityScores } from './scores/inter-pod-affinity-score.ts';
import { spreadScores, TOPOLOGY_SPREAD_WEIGHT } from './scores/topology-spread-score.ts';

const SPREAD = 'PodTopologySpread';
const AFFINITY = 'InterPodAffinity';

const NO_NAMESPACES: NamespaceLabels = new Map();

/** Keeps pods off nodes that would make a hard constraint uneven. */
export const topologySpreadFilter: FilterPlugin = {
  name: SPREAD,
  preFilter: (pod, cluster) => {
    const state = spreadState(pod, cluster, requiredNodeAffinity(pod));
    if (state.constraints.length === 0) return undefined;
    return { filter: countingFilter(cluster, ({ node }, change) => spreadRefusal(state, node, change)) };
  },
};

/** Keeps pods apart or together, as they and the running pods require. */
export const interPodAffinityFilter: FilterPlugin = {
  name: AFFINITY,
  preFilter: (pod, cluster) => {
    const state = interPodAffinityState(pod, cluster, cluster.namespaces ?? NO_NAMESPACES);
    return {
      filter: countingFilter(cluster, ({ node }, change) => interPodAffinityRefusal(state, node, change)),
    };
  },
};

/** Prefers domains with fewer pods of the same kind. */
export const topologySpreadScore: ScorePlugin = {
  name: SPREAD,
  weight: TOPOLOGY_SPREAD_WEIGHT,
  score: (pod, nodes, cluster) =>
    spreadScores(pod, cluster, nodes, requiredNodeAffinity(pod), cluster.owners),
};

/** Prefers nodes near pods that the pod or they themselves prefer. */
export const interPodAffinityScore: ScorePlugin = {
  name: AFFINITY,
  weight: INTER_POD_AFFINITY_WEIGHT,
  score: (pod, nodes, cluster) =>
    interPodAffinityScores(pod, cluster, nodes, cluster.namespaces ?? NO_NAMESPACES),
};
