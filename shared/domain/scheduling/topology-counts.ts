/** Numbers per topology pair: the key of a node label and its value. */
import type { Node } from '../../api/core.ts';
import { ownMember } from '../../api/own-member.ts';

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
