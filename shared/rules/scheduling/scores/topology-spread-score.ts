/** Soft topology spread constraints: `whenUnsatisfiable: ScheduleAnyway`. Source: kubernetes v1.34 `podtopologyspread` `scoring.go`. */

import { ownMember } from '../../../kube/json/own-member.ts';
import type { Spread } from '../../../kube/types/affinity.ts';
import type { Node, Pod } from '../../../kube/types/core.ts';
import { LABEL_HOSTNAME } from '../../../kube/types/well-known.ts';
import type { BoundCluster } from '../cluster/bound-pods.ts';
import { MAX_NODE_SCORE } from '../cluster/framework.ts';
import type { NodeTally } from '../cluster/node-tally.ts';
import type { SpreadConstraint } from '../filters/spread-constraint.ts';
import {
  hasAllTopologies,
  isCounted,
  matchingByNode,
  spreadConstraint,
  spreadsOf,
} from '../filters/spread-constraint.ts';
import type { SpreadOwners } from '../pods/default-spread.ts';
import { DEFAULT_SPREADS, defaultSpreadSelector } from '../pods/default-spread.ts';
import type { NodeMatch } from '../pods/node-selector.ts';

/** The weight of this score in a node's total. Source: kubernetes v1.34 `apis/config/v1` `default_plugins.go`. */
export const TOPOLOGY_SPREAD_WEIGHT = 2;

interface SoftSpread {
  readonly pod: Pod;
  readonly constraints: readonly SpreadConstraint[];
  /** Whether a node without one of the labels is left out. It is not for the constraints of the cluster. */
  readonly requiresAll: boolean;
}

/** Pods by domain for one constraint, and the weight of a pod in it. Each host is a domain: its pods are those of the node. */
interface DomainWeight {
  readonly constraint: SpreadConstraint;
  readonly byNode: NodeTally;
  readonly byDomain: ReadonlyMap<string, number>;
  readonly weight: number;
}

const isSoft = ({ whenUnsatisfiable }: Spread): boolean => whenUnsatisfiable === 'ScheduleAnyway';

const softSpread = (pod: Pod, owners: SpreadOwners): SoftSpread => {
  const own = spreadsOf(pod);
  const read = (spread: Spread): SpreadConstraint => spreadConstraint(spread, pod);
  if (own.length > 0) return { pod, constraints: own.filter(isSoft).map(read), requiresAll: true };
  const labelSelector = defaultSpreadSelector(pod, owners);
  const defaults = labelSelector ? DEFAULT_SPREADS.map((spread) => ({ ...spread, labelSelector })) : [];
  return { pod, constraints: defaults.map(read), requiresAll: false };
};

const takesPart = ({ requiresAll, constraints }: SoftSpread, node: Node): boolean =>
  !requiresAll || hasAllTopologies(node, constraints);

// A node without the label is in the domain of the empty name, which has a weight but no score.
const domainOf = (node: Node, { topologyKey }: SpreadConstraint): string =>
  ownMember(node.metadata.labels, topologyKey) ?? '';

/** More domains make a pod weigh more. Source: kubernetes v1.34 `podtopologyspread` `topologyNormalizingWeight`. */
const weightOf = (domains: number): number => Math.log(domains + 2);

type Nodes = BoundCluster['nodes'];

const countedDomains = (
  constraint: SpreadConstraint,
  byNode: NodeTally,
  eligible: Nodes,
  candidates: Nodes,
): ReadonlyMap<string, number> => {
  const byDomain = new Map(candidates.map(({ node }) => [domainOf(node, constraint), 0]));
  for (const { node } of eligible) {
    const domain = domainOf(node, constraint);
    const before = byDomain.get(domain);
    if (before !== undefined) byDomain.set(domain, before + (byNode.get(node.metadata.name) ?? 0));
  }
  return byDomain;
};

const domainWeights = (
  soft: SoftSpread,
  { nodes, bound }: BoundCluster,
  candidates: Nodes,
  matchesAffinity: NodeMatch,
): readonly DomainWeight[] => {
  const { pod } = soft;
  const taking = nodes.filter(({ node }) => takesPart(soft, node));
  return soft.constraints.map((constraint) => {
    const byNode = matchingByNode(bound, pod, constraint);
    if (constraint.topologyKey === LABEL_HOSTNAME)
      return { constraint, byNode, byDomain: new Map(), weight: weightOf(candidates.length) };
    const eligible = taking.filter(({ node }) => isCounted(constraint, pod, node, matchesAffinity));
    const byDomain = countedDomains(constraint, byNode, eligible, candidates);
    return { constraint, byNode, byDomain, weight: weightOf(byDomain.size) };
  });
};

const costOf = (node: Node, weights: readonly DomainWeight[]): number => {
  let cost = 0;
  for (const { constraint, byNode, byDomain, weight } of weights) {
    const domain = ownMember(node.metadata.labels, constraint.topologyKey);
    if (domain === undefined) continue;
    const isHost = constraint.topologyKey === LABEL_HOSTNAME;
    const count = (isHost ? byNode.get(node.metadata.name) : byDomain.get(domain)) ?? 0;
    cost += count * weight + (constraint.maxSkew - 1);
  }
  return Math.round(cost);
};

/** Fewer pods give a higher score; a node that takes no part gets 0. */
const normalised = (costs: readonly (number | undefined)[]): readonly number[] => {
  const counted = costs.filter((cost) => cost !== undefined);
  const most = counted.reduce((a, b) => Math.max(a, b), 0);
  const least = counted.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return costs.map((cost) => {
    if (cost === undefined) return 0;
    return most === 0 ? MAX_NODE_SCORE : Math.floor((MAX_NODE_SCORE * (most + least - cost)) / most);
  });
};

/**
 * Scores from 0 to 100, before the weight, in the order of `feasible`; `undefined` if the pod has no soft constraints. A pod
 * without constraints of its own is spread by those of the cluster, if a Service, ReplicationController, ReplicaSet or
 * StatefulSet of `owners` is its own.
 */
export const spreadScores = (
  pod: Pod,
  cluster: BoundCluster,
  feasible: Nodes,
  matchesAffinity: NodeMatch,
  owners: SpreadOwners = {},
): readonly number[] | undefined => {
  const soft = softSpread(pod, owners);
  if (soft.constraints.length === 0) return undefined;
  const candidates = feasible.filter(({ node }) => takesPart(soft, node));
  const weights = domainWeights(soft, cluster, candidates, matchesAffinity);
  return normalised(feasible.map(({ node }) => (takesPart(soft, node) ? costOf(node, weights) : undefined)));
};
