/** The NUMA nodes of a machine, and how far they are from each other. Source: kubernetes v1.34 topologymanager `numa_info.go`. */
import { isNarrower, knownMask, type NumaMask, nodesOf } from './numa-mask.ts';

/** By the numbers of two nodes, as the firmware says it: 10 is the node itself. */
export type NumaDistances = Readonly<Record<number, readonly number[]>>;

export interface NumaInfo {
  readonly nodes: readonly number[];
  /** Present if sets of near nodes are preferred. */
  readonly distances?: NumaDistances;
}

export const allNodes = ({ nodes }: NumaInfo): NumaMask => knownMask(nodes);

/** The mean distance of all pairs of nodes, each node with itself too; 0 of none. */
export const meanDistance = (distances: NumaDistances, mask: NumaMask): number => {
  const nodes = nodesOf(mask);
  const pairs = nodes.flatMap((from) => nodes.map((to) => distances[from]?.[to] ?? 0));
  return pairs.length === 0 ? 0 : pairs.reduce((sum, distance) => sum + distance, 0) / pairs.length;
};

/** Whether `a` fits better than `b`, of two different sets of as many nodes. */
export const fitsBetter = ({ distances }: NumaInfo, a: NumaMask, b: NumaMask): boolean => {
  if (!distances) return isNarrower(a, b);
  const [left, right] = [meanDistance(distances, a), meanDistance(distances, b)];
  return left === right ? a < b : left < right;
};
