/** Sets of NUMA nodes, as numbers of 64 bits. Source: kubernetes v1.34 topologymanager/bitmask. */

/** Bit n is set if node n belongs to the set. */
export type NumaMask = bigint;

const MOST_NODES = 64;

export const EMPTY_MASK: NumaMask = 0n;

/** Whether the kubelet can number this node. */
const isNodeId = (node: number): boolean => node >= 0 && node < MOST_NODES;

const bit = (node: number): NumaMask => 1n << BigInt(node);

/** The set of these nodes. */
export const maskOf = (nodes: readonly number[]): NumaMask | { readonly error: string } =>
  nodes.every(isNodeId)
    ? nodes.reduce((mask, node) => mask | bit(node), EMPTY_MASK)
    : { error: 'bit number must be in range 0-63' };

/** The set of nodes that are known to have numbers from 0 to 63. */
export const knownMask = (nodes: readonly number[]): NumaMask => {
  const mask = maskOf(nodes);
  if (typeof mask === 'object') throw new RangeError(mask.error);
  return mask;
};

/** Ascending. */
export const nodesOf = (mask: NumaMask): readonly number[] => {
  const nodes: number[] = [];
  for (let rest = mask, node = 0; rest !== EMPTY_MASK; rest >>= 1n, node += 1)
    if ((rest & 1n) === 1n) nodes.push(node);
  return nodes;
};

export const countOf = (mask: NumaMask): number => {
  let count = 0;
  for (let rest = mask; rest !== EMPTY_MASK; rest &= rest - 1n) count += 1;
  return count;
};

/** Whether `a` has fewer nodes, or as many and lower numbers. */
export const isNarrower = (a: NumaMask, b: NumaMask): boolean => {
  const [left, right] = [countOf(a), countOf(b)];
  return left === right ? a < b : left < right;
};

/** In binary, with an even number of digits where the highest two are not a bare power of two. */
export const maskText = (mask: NumaMask): string => {
  let width = 2;
  while (mask > 1n << BigInt(width)) width += 2;
  return mask.toString(2).padStart(width, '0');
};

/** All sets of `count` of these nodes, in the order in which the kubelet tries them. */
export function* setsOf(nodes: readonly number[], count: number): Generator<readonly number[]> {
  if (count === 0) yield [];
  const lastStart = count === 0 ? 0 : nodes.length - count + 1;
  for (const [index, node] of nodes.slice(0, lastStart).entries())
    for (const rest of setsOf(nodes.slice(index + 1), count - 1)) yield [node, ...rest];
}

/**
 * All sets of these nodes but the empty one, small ones first. There are 2^n - 1: 255 for the 8 nodes that the kubelet allows by default.
 */
export function* masksOf(nodes: readonly number[]): Generator<NumaMask> {
  for (let count = 1; count <= nodes.length; count += 1)
    for (const set of setsOf(nodes, count)) yield knownMask(set);
}
