/** Soft topology spread constraints: `whenUnsatisfiable: ScheduleAnyway`. Source: kubernetes v1.34 `podtopologyspread` `scoring.go`. */
import type { Node, Pod } from '../../api/core.ts';
import { ownMember } from '../../api/own-member.ts';
import type { Spread } from '../../api/validation/topology-spread.ts';
import { LABEL_HOSTNAME } from '../../api/well-known.ts';
import type { SpreadOwners } from './default-spread.ts';
import { DEFAULT_SPREADS, defaultSpreadSelector } from './default-spread.ts';
import { MAX_NODE_SCORE } from './framework.ts';
import type { NodeMatch } from './node-selector.ts';
import type { PopulatedNode } from './placement.ts';
import type { SpreadConstraint } from './spread-constraint.ts';
import {
  countMatching,
  hasAllTopologies,
  isCounted,
  spreadConstraint,
  spreadsOf,
} from './spread-constraint.ts';

/** The weight of this score in a node's total. Source: kubernetes v1.34 `apis/config/v1` `default_plugins.go`. */
export const TOPOLOGY_SPREAD_WEIGHT = 2;

interface SoftSpread {
  readonly pod: Pod;
  readonly constraints: readonly SpreadConstraint[];
  /** Whether a node without one of the labels is left out. It is not for the constraints of the cluster. */
  readonly requiresAll: boolean;
}

/** Pods by domain for one constraint, and the weight of a pod in it. Hosts are not counted here: each is one domain. */
interface DomainWeight {
  readonly constraint: SpreadConstraint;
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

const countedDomains = (
  constraint: SpreadConstraint,
  { pod }: SoftSpread,
  eligible: readonly PopulatedNode[],
  candidates: readonly PopulatedNode[],
  matchesAffinity: NodeMatch,
): ReadonlyMap<string, number> => {
  const byDomain = new Map(candidates.map(({ node }) => [domainOf(node, constraint), 0]));
  for (const { node, pods } of eligible) {
    const domain = domainOf(node, constraint);
    const before = byDomain.get(domain);
    if (before === undefined || !isCounted(constraint, pod, node, matchesAffinity)) continue;
    byDomain.set(domain, before + countMatching(pods, pod, constraint));
  }
  return byDomain;
};

const domainWeights = (
  soft: SoftSpread,
  nodes: readonly PopulatedNode[],
  candidates: readonly PopulatedNode[],
  matchesAffinity: NodeMatch,
): readonly DomainWeight[] => {
  const eligible = nodes.filter(({ node }) => takesPart(soft, node));
  return soft.constraints.map((constraint) => {
    if (constraint.topologyKey === LABEL_HOSTNAME)
      return { constraint, byDomain: new Map(), weight: weightOf(candidates.length) };
    const byDomain = countedDomains(constraint, soft, eligible, candidates, matchesAffinity);
    return { constraint, byDomain, weight: weightOf(byDomain.size) };
  });
};

const costOf = (
  { node, pods }: PopulatedNode,
  { pod }: SoftSpread,
  weights: readonly DomainWeight[],
): number => {
  let cost = 0;
  for (const { constraint, byDomain, weight } of weights) {
    const domain = ownMember(node.metadata.labels, constraint.topologyKey);
    if (domain === undefined) continue;
    const isHost = constraint.topologyKey === LABEL_HOSTNAME;
    const count = isHost ? countMatching(pods, pod, constraint) : (byDomain.get(domain) ?? 0);
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
 * Scores from 0 to 100, before the weight, in the order of `feasible`; `undefined` if the pod has no soft constraints.
 * `nodes` are all nodes of the cluster. A pod without constraints of its own is spread by those of the cluster, if a
 * Service, ReplicationController, ReplicaSet or StatefulSet of `owners` is its own.
 */
export const spreadScores = (
  pod: Pod,
  nodes: readonly PopulatedNode[],
  feasible: readonly PopulatedNode[],
  matchesAffinity: NodeMatch,
  owners: SpreadOwners = {},
): readonly number[] | undefined => {
  const soft = softSpread(pod, owners);
  if (soft.constraints.length === 0) return undefined;
  const candidates = feasible.filter(({ node }) => takesPart(soft, node));
  const weights = domainWeights(soft, nodes, candidates, matchesAffinity);
  return normalised(
    feasible.map((one) => (takesPart(soft, one.node) ? costOf(one, soft, weights) : undefined)),
  );
};
