/** Required affinity and anti-affinity between pods. Source: kubernetes v1.34 `interpodaffinity` `filtering.go`. */
import type { Node, Pod } from '../../../kube/types/core.ts';
import type { BoundCluster, BoundPods } from '../cluster/bound-pods.ts';
import type { Refusal } from '../cluster/framework.ts';
import { groupsAbout } from '../cluster/groups-about.ts';
import type { TopologyCounts, WeightedPods } from '../cluster/topology-counts.ts';
import { addToTopology, atTopology, countTopologies } from '../cluster/topology-counts.ts';
import type { NamespaceLabels, PodChange } from '../pods/placement.ts';
import type { AffinityTerm, AffinityTerms } from '../pods/pod-affinity-terms.ts';
import { affinityTermsOf, areAllAbout, isAbout } from '../pods/pod-affinity-terms.ts';

const AFFINITY: Refusal = {
  reasons: ["node(s) didn't match pod affinity rules"],
  isResolvable: false,
};
const ANTI_AFFINITY: Refusal = {
  reasons: ["node(s) didn't match pod anti-affinity rules"],
  isResolvable: true,
};
const EXISTING_ANTI_AFFINITY: Refusal = {
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
  isResolvable: true,
};

/** Pods per topology pair: those that the terms of the incoming pod are about, and those with terms about it. */
interface AffinityCounts {
  readonly affinity: TopologyCounts;
  readonly antiAffinity: TopologyCounts;
  readonly existingAntiAffinity: TopologyCounts;
}

/** What one attempt counts once for all nodes. */
export interface InterPodAffinityState {
  readonly pod: Pod;
  readonly terms: AffinityTerms;
  readonly namespaces: NamespaceLabels;
  readonly counts: AffinityCounts;
}

const noCounts = (): AffinityCounts => ({
  affinity: new Map(),
  antiAffinity: new Map(),
  existingAntiAffinity: new Map(),
});

type Incoming = Omit<InterPodAffinityState, 'counts'>;

// A pod counts for the required affinity only if all terms are about it. Source: `podMatchesAllAffinityTerms`.
const addPod = (
  counts: AffinityCounts,
  { pod, terms, namespaces }: Incoming,
  node: Node,
  other: Pod,
  amount: 1 | -1,
): void => {
  for (const term of affinityTermsOf(other).antiAffinity)
    if (isAbout(term, pod, namespaces))
      addToTopology(counts.existingAntiAffinity, node, term.topologyKey, amount);
  if (areAllAbout(terms.affinity, other, namespaces))
    for (const term of terms.affinity) addToTopology(counts.affinity, node, term.topologyKey, amount);
  for (const term of terms.antiAffinity)
    if (isAbout(term, other, namespaces)) addToTopology(counts.antiAffinity, node, term.topologyKey, amount);
};

/** The pods that all of `about` are about, once for the domain of each of `terms`. */
const podsAbout = (
  terms: readonly AffinityTerm[],
  about: readonly AffinityTerm[],
  bound: BoundPods,
  namespaces: NamespaceLabels,
): readonly WeightedPods[] => {
  const groups = groupsAbout(about, bound, namespaces);
  return terms.flatMap(({ topologyKey }) => groups.map(({ byNode }) => ({ topologyKey, byNode, weight: 1 })));
};

const podsAvoiding = (pod: Pod, bound: BoundPods, namespaces: NamespaceLabels): readonly WeightedPods[] =>
  [...bound.withTerms()].flatMap(({ terms, byNode }) =>
    terms.antiAffinity
      .filter((term) => isAbout(term, pod, namespaces))
      .map(({ topologyKey }) => ({ topologyKey, byNode, weight: 1 })),
  );

/** Counts the pods of all topology pairs, once for an attempt. */
export const interPodAffinityState = (
  pod: Pod,
  { nodes, bound }: BoundCluster,
  namespaces: NamespaceLabels,
): InterPodAffinityState => {
  const terms = affinityTermsOf(pod);
  const { affinity, antiAffinity } = terms;
  const avoided = antiAffinity.flatMap((term) => podsAbout([term], [term], bound, namespaces));
  const counts = {
    affinity: countTopologies(nodes, podsAbout(affinity, affinity, bound, namespaces)),
    antiAffinity: countTopologies(nodes, avoided),
    existingAntiAffinity: countTopologies(nodes, podsAvoiding(pod, bound, namespaces)),
  };
  return { pod, terms, namespaces, counts };
};

const UNCHANGED = noCounts();

const countChange = (
  state: InterPodAffinityState,
  node: Node,
  { removed = [], added = [] }: PodChange,
): AffinityCounts => {
  if (removed.length + added.length === 0) return UNCHANGED;
  const counts = noCounts();
  for (const other of removed) addPod(counts, state, node, other, -1);
  for (const other of added) addPod(counts, state, node, other, 1);
  return counts;
};

const sumOf = (counts: TopologyCounts): number => {
  let sum = 0;
  for (const byValue of counts.values()) for (const count of byValue.values()) sum += count;
  return sum;
};

type Counted = keyof AffinityCounts;

const at = (
  counts: AffinityCounts,
  changed: AffinityCounts,
  kind: Counted,
  node: Node,
  key: string,
): number | undefined => {
  const there = atTopology(counts[kind], node, key);
  return there === undefined ? undefined : there + (atTopology(changed[kind], node, key) ?? 0);
};

/** The first pod of a group whose terms are about the group itself may go anywhere, or none of the group ever could. */
const isFirstOfItsGroup = (
  { pod, terms, namespaces, counts }: InterPodAffinityState,
  changed: AffinityCounts,
) => areAllAbout(terms.affinity, pod, namespaces) && sumOf(counts.affinity) + sumOf(changed.affinity) === 0;

const meetsAffinity = (state: InterPodAffinityState, node: Node, changed: AffinityCounts): boolean => {
  if (state.terms.affinity.length === 0) return true;
  const counts = state.terms.affinity.map((term) =>
    at(state.counts, changed, 'affinity', node, term.topologyKey),
  );
  if (counts.includes(undefined)) return false;
  return counts.every((count) => (count ?? 0) > 0) || isFirstOfItsGroup(state, changed);
};

const meetsAntiAffinity = (
  { counts }: InterPodAffinityState,
  node: Node,
  changed: AffinityCounts,
  kind: 'antiAffinity' | 'existingAntiAffinity',
): boolean => {
  for (const key of [...counts[kind].keys(), ...changed[kind].keys()])
    if ((at(counts, changed, kind, node, key) ?? 0) > 0) return false;
  return true;
};

/**
 * Why affinity between pods keeps the pod off the node; `undefined` if it does not. `change` imagines pods to be gone from
 * the node, or on it.
 */
export const interPodAffinityRefusal = (
  state: InterPodAffinityState,
  node: Node,
  change: PodChange = {},
): Refusal | undefined => {
  const changed = countChange(state, node, change);
  if (!meetsAffinity(state, node, changed)) return AFFINITY;
  if (!meetsAntiAffinity(state, node, changed, 'antiAffinity')) return ANTI_AFFINITY;
  return meetsAntiAffinity(state, node, changed, 'existingAntiAffinity') ? undefined : EXISTING_ANTI_AFFINITY;
};
