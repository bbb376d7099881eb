/**
 * The plugins about pods of other nodes. Each counts pods once for an attempt; a filter may then be asked about any version of
 * a node, with pods gone or added, and only the difference is counted.
 * Source: kubernetes v1.34 scheduler plugins `podtopologyspread`, `interpodaffinity`.
 */
import type { Cluster, NodeInfo } from './cluster.ts';
import type { FilterPlugin, NodeFilter, Refusal, ScorePlugin } from './framework.ts';
import { interPodAffinityRefusal, interPodAffinityState } from './inter-pod-affinity.ts';
import { INTER_POD_AFFINITY_WEIGHT, interPodAffinityScores } from './inter-pod-affinity-score.ts';
import { requiredNodeAffinity } from './node-affinity.ts';
import type { NamespaceLabels, PodChange } from './placement.ts';
import { spreadRefusal, spreadState } from './topology-spread.ts';
import { spreadScores, TOPOLOGY_SPREAD_WEIGHT } from './topology-spread-score.ts';

const SPREAD = 'PodTopologySpread';
const AFFINITY = 'InterPodAffinity';

const NO_NAMESPACES: NamespaceLabels = new Map();

const NO_CHANGE: PodChange = {};

const difference = ({ pods }: NodeInfo, before: NodeInfo | undefined): PodChange => {
  if (!before || before.pods === pods) return NO_CHANGE;
  return {
    removed: before.pods.filter((pod) => !pods.includes(pod)),
    added: pods.filter((pod) => !before.pods.includes(pod)),
  };
};

type Refuse = (info: NodeInfo, change: PodChange) => Refusal | undefined;

const filterOf = ({ nodes }: Cluster, refuse: Refuse): NodeFilter => {
  let counted: ReadonlyMap<string, NodeInfo> | undefined;
  const known = new Set(nodes);
  return (info) => {
    if (known.has(info)) return refuse(info, NO_CHANGE);
    counted ??= new Map(nodes.map((one) => [one.node.metadata.name, one]));
    return refuse(info, difference(info, counted.get(info.node.metadata.name)));
  };
};

/** Keeps pods off nodes that would make a hard constraint uneven. */
export const topologySpreadFilter: FilterPlugin = {
  name: SPREAD,
  preFilter: (pod, cluster) => {
    const state = spreadState(pod, cluster.nodes, requiredNodeAffinity(pod));
    if (state.constraints.length === 0) return undefined;
    return { filter: filterOf(cluster, ({ node }, change) => spreadRefusal(state, node, change)) };
  },
};

/** Keeps pods apart or together, as they and the running pods require. */
export const interPodAffinityFilter: FilterPlugin = {
  name: AFFINITY,
  preFilter: (pod, cluster) => {
    const state = interPodAffinityState(pod, cluster.nodes, cluster.namespaces ?? NO_NAMESPACES);
    return { filter: filterOf(cluster, ({ node }, change) => interPodAffinityRefusal(state, node, change)) };
  },
};

/** Prefers domains with fewer pods of the same kind. */
export const topologySpreadScore: ScorePlugin = {
  name: SPREAD,
  weight: TOPOLOGY_SPREAD_WEIGHT,
  score: (pod, nodes, cluster) =>
    spreadScores(pod, cluster.nodes, nodes, requiredNodeAffinity(pod), cluster.owners),
};

/** Prefers nodes near pods that the pod or they themselves prefer. */
export const interPodAffinityScore: ScorePlugin = {
  name: AFFINITY,
  weight: INTER_POD_AFFINITY_WEIGHT,
  score: (pod, nodes, cluster) =>
    interPodAffinityScores(pod, cluster.nodes, nodes, cluster.namespaces ?? NO_NAMESPACES),
};
