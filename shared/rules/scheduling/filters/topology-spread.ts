/** Hard topology spread constraints: `whenUnsatisfiable: DoNotSchedule`. Source: kubernetes v1.34 `podtopologyspread` `filtering.go`. */

import { ownMember } from '../../../kube/json/own-member.ts';
import { selects } from '../../../kube/selector/object-selector.ts';
import type { Node, Pod } from '../../../kube/types/core.ts';
import type { BoundCluster } from '../cluster/bound-pods.ts';
import type { Refusal } from '../cluster/framework.ts';
import type { NodeMatch } from '../pods/node-selector.ts';
import type { PodChange } from '../pods/placement.ts';
import type { SpreadConstraint } from './spread-constraint.ts';
import {
  countMatching,
  hardConstraints,
  hasAllTopologies,
  isCounted,
  matchingByNode,
} from './spread-constraint.ts';

const NOT_MATCHED = "node(s) didn't match pod topology spread constraints";

const SKEWED: Refusal = { reasons: [NOT_MATCHED], isResolvable: true };
const LABEL_MISSING: Refusal = {
  reasons: [`${NOT_MATCHED} (missing required label)`],
  isResolvable: false,
};

/** The pods of each domain of one constraint. The two smallest counts tell the minimum also after one domain has changed. */
interface SpreadCounts {
  readonly constraint: SpreadConstraint;
  /** 1 if the constraint selects the pod itself, else 0. */
  readonly self: number;
  readonly byDomain: ReadonlyMap<string, number>;
  readonly least: number;
  readonly leastDomain: string | undefined;
  /** The smallest count of the other domains; infinite if there are none. */
  readonly secondLeast: number;
}

/** What one attempt counts once for all nodes. */
export interface SpreadState {
  readonly pod: Pod;
  readonly matchesAffinity: NodeMatch;
  readonly constraints: readonly SpreadConstraint[];
  readonly counts: readonly SpreadCounts[];
}

const leastTwo = (byDomain: ReadonlyMap<string, number>) => {
  let least = Number.POSITIVE_INFINITY;
  let secondLeast = Number.POSITIVE_INFINITY;
  let leastDomain: string | undefined;
  for (const [domain, count] of byDomain) {
    if (count < least) [least, secondLeast, leastDomain] = [count, least, domain];
    else if (count < secondLeast) secondLeast = count;
  }
  return { least, secondLeast, leastDomain };
};

const countDomains = (
  constraint: SpreadConstraint,
  pod: Pod,
  { nodes, bound }: BoundCluster,
  matchesAffinity: NodeMatch,
): SpreadCounts => {
  const byDomain = new Map<string, number>();
  const byNode = matchingByNode(bound, pod, constraint);
  for (const { node } of nodes) {
    if (!isCounted(constraint, pod, node, matchesAffinity)) continue;
    const domain = node.metadata.labels?.[constraint.topologyKey] ?? '';
    byDomain.set(domain, (byDomain.get(domain) ?? 0) + (byNode.get(node.metadata.name) ?? 0));
  }
  const self = selects(constraint.selector, pod.metadata.labels) ? 1 : 0;
  return { constraint, self, byDomain, ...leastTwo(byDomain) };
};

/** Counts the pods of all domains, once for an attempt. */
export const spreadState = (
  pod: Pod,
  { nodes, bound }: BoundCluster,
  matchesAffinity: NodeMatch,
): SpreadState => {
  const constraints = hardConstraints(pod);
  const eligible =
    constraints.length === 0 ? [] : nodes.filter(({ node }) => hasAllTopologies(node, constraints));
  const counts = constraints.map((one) =>
    countDomains(one, pod, { nodes: eligible, bound }, matchesAffinity),
  );
  return { pod, matchesAffinity, constraints, counts };
};

const countChange = (
  { pod, constraints, matchesAffinity }: SpreadState,
  constraint: SpreadConstraint,
  node: Node,
  { removed = [], added = [] }: PodChange,
): number => {
  if (removed.length + added.length === 0 || !hasAllTopologies(node, constraints)) return 0;
  if (!isCounted(constraint, pod, node, matchesAffinity)) return 0;
  return countMatching(added, pod, constraint) - countMatching(removed, pod, constraint);
};

const minimumOf = (counts: SpreadCounts, domain: string, count: number): number => {
  if (counts.byDomain.size < counts.constraint.minDomains) return 0;
  if (!counts.byDomain.has(domain)) return counts.least;
  return Math.min(count, domain === counts.leastDomain ? counts.secondLeast : counts.least);
};

const refusalOf = (
  state: SpreadState,
  counts: SpreadCounts,
  node: Node,
  change: PodChange,
): Refusal | undefined => {
  const { constraint, self, byDomain } = counts;
  const domain = ownMember(node.metadata.labels, constraint.topologyKey);
  if (domain === undefined) return LABEL_MISSING;
  const count = (byDomain.get(domain) ?? 0) + countChange(state, constraint, node, change);
  const skew = count + self - minimumOf(counts, domain, count);
  return skew > constraint.maxSkew ? SKEWED : undefined;
};

/**
 * Why the node would make the pod's hard constraints uneven; `undefined` if it would not. `change` imagines pods to be gone
 * from the node, or on it.
 */
export const spreadRefusal = (
  state: SpreadState,
  node: Node,
  change: PodChange = {},
): Refusal | undefined => {
  for (const counts of state.counts) {
    const refusal = refusalOf(state, counts, node, change);
    if (refusal) return refusal;
  }
  return undefined;
};
