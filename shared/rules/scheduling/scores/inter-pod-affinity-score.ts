/** Preferred affinity and anti-affinity between pods. Source: kubernetes v1.34 `interpodaffinity` `scoring.go`. */
import type { Node, Pod } from '../../../kube/types/core.ts';
import type { BoundCluster, BoundPods } from '../cluster/bound-pods.ts';
import { MAX_NODE_SCORE } from '../cluster/framework.ts';
import { groupsAbout } from '../cluster/groups-about.ts';
import type { TopologyCounts, WeightedPods } from '../cluster/topology-counts.ts';
import { atTopology, countTopologies } from '../cluster/topology-counts.ts';
import type { NamespaceLabels } from '../pods/placement.ts';
import type { AffinityTerm, AffinityTerms } from '../pods/pod-affinity-terms.ts';
import { affinityTermsOf, isAbout } from '../pods/pod-affinity-terms.ts';

/** The weight of this score in a node's total. Source: kubernetes v1.34 `apis/config/v1` `default_plugins.go`. */
export const INTER_POD_AFFINITY_WEIGHT = 2;

/** What a required affinity of a running pod towards the new one adds. Source: kubernetes v1.34 `DefaultHardPodAffinityWeight`. */
const HARD_POD_AFFINITY_WEIGHT = 1;

/** The pods that the term is about, with its weight. */
const podsPreferred = (
  term: AffinityTerm,
  bound: BoundPods,
  namespaces: NamespaceLabels,
): readonly WeightedPods[] =>
  groupsAbout([term], bound, namespaces).map(({ byNode }) => ({
    topologyKey: term.topologyKey,
    weight: term.weight,
    byNode,
  }));

/** The terms of running pods that have a say in a score. */
const scoringTerms = ({ preferred, affinity }: AffinityTerms): readonly AffinityTerm[] => [
  ...preferred,
  ...affinity.map((term) => ({ ...term, weight: HARD_POD_AFFINITY_WEIGHT })),
];

const podsPreferring = (pod: Pod, bound: BoundPods, namespaces: NamespaceLabels): readonly WeightedPods[] =>
  [...bound.withTerms()].flatMap(({ terms, byNode }) =>
    scoringTerms(terms)
      .filter((term) => isAbout(term, pod, namespaces))
      .map(({ topologyKey, weight }) => ({ topologyKey, weight, byNode })),
  );

const sumOn = (counts: TopologyCounts, node: Node): number => {
  let sum = 0;
  for (const key of counts.keys()) sum += atTopology(counts, node, key) ?? 0;
  return sum;
};

const normalised = (sums: readonly number[]): readonly number[] => {
  const most = sums.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const least = sums.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  if (most === least) return sums.map(() => 0);
  return sums.map((sum) => Math.floor(MAX_NODE_SCORE * ((sum - least) / (most - least))));
};

/**
 * Scores from 0 to 100, before the weight, in the order of `feasible`; `undefined` if no term says anything. The preferred terms
 * of the pod count, and of the running pods the preferred terms and the required affinity.
 */
export const interPodAffinityScores = (
  pod: Pod,
  { nodes, bound }: BoundCluster,
  feasible: BoundCluster['nodes'],
  namespaces: NamespaceLabels,
): readonly number[] | undefined => {
  const counts = countTopologies(nodes, [
    ...affinityTermsOf(pod).preferred.flatMap((term) => podsPreferred(term, bound, namespaces)),
    ...podsPreferring(pod, bound, namespaces),
  ]);
  if (counts.size === 0) return undefined;
  return normalised(feasible.map(({ node }) => sumOn(counts, node)));
};
