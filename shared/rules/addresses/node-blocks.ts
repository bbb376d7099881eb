/** Which blocks a Node holds, and which one a new Node gets. */

import type { Node } from '../../kube/types/core.ts';
import { parseCidr } from '../../kube/values/cidr.ts';
import { type Blocks, blocksOf, type ClusterRange } from './cluster-range.ts';

/** What a Node holds of one range: one block, or several if its CIDR is wider than a block. */
export interface HeldBlocks extends Blocks {
  /** Name of the range. */
  readonly range: string;
}

/** The podCIDRs of a Node. `podCIDR` alone, as in objects of old clients, counts as a list of one. */
export const podCidrsOf = ({ spec }: Node): readonly string[] =>
  spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);

/** The blocks that these podCIDRs touch. What lies outside of all ranges holds nothing. */
export const heldBlocks = (
  ranges: readonly ClusterRange[],
  podCidrs: readonly string[],
): readonly HeldBlocks[] =>
  podCidrs.flatMap((text) => {
    const cidr = parseCidr(text);
    return ranges.flatMap((range) => {
      const blocks = cidr && blocksOf(range, cidr);
      return blocks ? [{ range: range.name, ...blocks }] : [];
    });
  });

/** The podCIDRs that lie outside of all ranges. */
export const outsideRanges = (
  ranges: readonly ClusterRange[],
  podCidrs: readonly string[],
): readonly string[] => podCidrs.filter((cidr) => heldBlocks(ranges, [cidr]).length === 0);

/** The first number from `from` up to `to` that is in none of the intervals; `undefined` if there is none. */
export const firstGap = (from: number, to: number, taken: readonly Blocks[]): number | undefined => {
  let free = from;
  for (const { first, last } of taken.toSorted((a, b) => a.first - b.first)) {
    if (first > free) break;
    free = Math.max(free, last + 1);
  }
  return free <= to ? free : undefined;
};

/** The text of kube-controller-manager about a Node whose podCIDR lies outside of the cluster CIDR. */
export const outsideText = (ranges: readonly ClusterRange[], node: Node, cidr: string): string => {
  const index = podCidrsOf(node).indexOf(cidr);
  const cluster = (ranges[index] ?? ranges[0])?.name.replace(/\/\d+$/, '') ?? '';
  return `failed to mark cidr[${cidr}] at idx [${index}] as occupied for node: ${node.metadata.name}: cidr ${cidr} is out the range of cluster cidr ${cluster}`;
};
