/** Numbers per topology pair: the key of a node label and its value. */

import { ownMember } from '../../../kube/json/own-member.ts';
import type { Node } from '../../../kube/types/core.ts';
import type { BoundCluster } from './bound-pods.ts';
import type { NodeTally } from './node-tally.ts';

/** Numbers by key, then by value. */
export type TopologyCounts = Map<string, Map<string, number>>;

/** Adds `amount` to the pair that the node has for this key; nothing if the node has no such label. */
export const addToTopology = (
  counts: TopologyCounts,
  node: Node,
  topologyKey: string,
  amount: number,
): void => {
  const value = ownMember(node.metadata.labels, topologyKey);
  if (value === undefined) return;
  const byValue = counts.get(topologyKey) ?? new Map<string, number>();
  byValue.set(value, (byValue.get(value) ?? 0) + amount);
  counts.set(topologyKey, byValue);
};

/** The number of the pair that the node has for this key; `undefined` if the node has no such label. */
export const atTopology = (
  counts: ReadonlyMap<string, ReadonlyMap<string, number>>,
  node: Node,
  topologyKey: string,
): number | undefined => {
  const value = ownMember(node.metadata.labels, topologyKey);
  return value === undefined ? undefined : (counts.get(topologyKey)?.get(value) ?? 0);
};

/** Pods of which each counts `weight` in the domain of its node. */
export interface WeightedPods {
  readonly topologyKey: string;
  readonly byNode: NodeTally;
  readonly weight: number;
}

/** Weights that sum up to 0 stay: the node has pods that count. */
const weightByNode = (parts: readonly WeightedPods[]): NodeTally => {
  const sums = new Map<string, number>();
  for (const { byNode, weight } of parts)
    for (const [name, pods] of byNode) sums.set(name, (sums.get(name) ?? 0) + pods * weight);
  return sums;
};

/** Counts pods by their nodes. Pods on nodes that are not given, or have no such label, do not count. */
export const countTopologies = (
  nodes: BoundCluster['nodes'],
  parts: readonly WeightedPods[],
): TopologyCounts => {
  const counts: TopologyCounts = new Map();
  for (const [topologyKey, own] of Map.groupBy(parts, (part) => part.topologyKey)) {
    const byNode = weightByNode(own);
    if (byNode.size === 0) continue;
    for (const { node } of nodes) {
      const weight = byNode.get(node.metadata.name);
      if (weight !== undefined) addToTopology(counts, node, topologyKey, weight);
    }
  }
  return counts;
};
