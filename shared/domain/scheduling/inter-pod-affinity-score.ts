/** Preferred affinity and anti-affinity between pods. Source: kubernetes v1.34 `interpodaffinity` `scoring.go`. */
import type { Node, Pod } from '../../api/core.ts';
import { MAX_NODE_SCORE } from './framework.ts';
import type { NamespaceLabels, PopulatedNode } from './placement.ts';
import type { AffinityTerm } from './pod-affinity-terms.ts';
import { affinityTermsOf, isAbout } from './pod-affinity-terms.ts';
import type { TopologyCounts } from './topology-counts.ts';
import { addToTopology, atTopology } from './topology-counts.ts';

/** The weight of this score in a node's total. Source: kubernetes v1.34 `apis/config/v1` `default_plugins.go`. */
export const INTER_POD_AFFINITY_WEIGHT = 2;

/** What a required affinity of a running pod towards the new one adds. Source: kubernetes v1.34 `DefaultHardPodAffinityWeight`. */
const HARD_POD_AFFINITY_WEIGHT = 1;

interface Scoring {
  readonly pod: Pod;
  readonly preferred: readonly AffinityTerm[];
  readonly namespaces: NamespaceLabels;
  readonly counts: TopologyCounts;
}

const addTerm = (
  { counts, namespaces }: Scoring,
  term: AffinityTerm,
  about: Pod,
  node: Node,
  weight: number,
): void => {
  if (isAbout(term, about, namespaces)) addToTopology(counts, node, term.topologyKey, weight);
};

const addPod = (scoring: Scoring, node: Node, other: Pod): void => {
  const theirs = affinityTermsOf(other);
  for (const term of scoring.preferred) addTerm(scoring, term, other, node, term.weight);
  for (const term of theirs.preferred) addTerm(scoring, term, scoring.pod, node, term.weight);
  for (const term of theirs.affinity) addTerm(scoring, term, scoring.pod, node, HARD_POD_AFFINITY_WEIGHT);
};

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
 * Scores from 0 to 100, before the weight, in the order of `feasible`; `undefined` if no term says anything. `nodes` are all
 * nodes of the cluster. The preferred terms of the pod count, and of the running pods the preferred terms and the required
 * affinity.
 */
export const interPodAffinityScores = (
  pod: Pod,
  nodes: readonly PopulatedNode[],
  feasible: readonly PopulatedNode[],
  namespaces: NamespaceLabels,
): readonly number[] | undefined => {
  const scoring: Scoring = { pod, preferred: affinityTermsOf(pod).preferred, namespaces, counts: new Map() };
  const asksAll = scoring.preferred.length > 0;
  for (const { node, pods, withAffinity = pods } of nodes)
    for (const other of asksAll ? pods : withAffinity) addPod(scoring, node, other);
  if (scoring.counts.size === 0) return undefined;
  return normalised(feasible.map(({ node }) => sumOn(scoring.counts, node)));
};
