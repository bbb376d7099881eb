/** What a plugin of the scheduler is: a rule that filters or scores nodes. Source: kubernetes v1.34 scheduler `framework/interface.go`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { Cluster, NodeInfo } from './cluster.ts';

/** Why a node does not take a pod, in Kubernetes' words. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** Whether the node might take the pod if other pods left it: `Unschedulable`, not `UnschedulableAndUnresolvable`. */
  readonly isResolvable: boolean;
}

/** Judges one node; `undefined` if the plugin has nothing against it. */
export type NodeFilter = (info: NodeInfo) => Refusal | undefined;

/** What a plugin finds out about a pod before it looks at nodes. */
export interface PreFilter {
  /** Why no node can take the pod. Then nothing else counts. */
  readonly fault?: string;
  /** The only nodes that are worth a look, by name; absent for all. */
  readonly nodeNames?: ReadonlySet<string>;
  readonly filter?: NodeFilter;
}

/** A rule that keeps pods off nodes. */
export interface FilterPlugin {
  readonly name: string;
  /** Runs once for an attempt; `undefined` if the plugin does not matter to this pod. */
  readonly preFilter: (pod: Pod, cluster: Cluster) => PreFilter | undefined;
}

/** A rule that prefers nodes to others. */
export interface ScorePlugin {
  readonly name: string;
  readonly weight: number;
  /** Whether the score of a node depends on its own pods, and on nothing else that a placed pod changes. Others keep their scores then, unless they compare pods. */
  readonly countsPods?: true;
  /** Scores of 0 to 100 for the given nodes, in their order; `undefined` if the plugin does not matter to this pod. */
  readonly score: (pod: Pod, nodes: readonly NodeInfo[], cluster: Cluster) => readonly number[] | undefined;
}

/** The best score of a node in one plugin, before its weight. Source: kubernetes v1.34 `framework.MaxNodeScore`. */
export const MAX_NODE_SCORE = 100;

/** Scales counts so that the largest becomes 100; whole numbers, rounded down. Source: kubernetes v1.34 `DefaultNormalizeScore`. */
export const normalized = (counts: readonly number[]): readonly number[] => {
  const largest = Math.max(0, ...counts);
  return largest === 0 ? counts : counts.map((count) => Math.floor((MAX_NODE_SCORE * count) / largest));
};

/** The same turned round: the smallest is the best, and all are if every count is 0. */
export const normalizedReverse = (counts: readonly number[]): readonly number[] =>
  normalized(counts).map((score) => MAX_NODE_SCORE - score);

/** The names that are in both sets. */
export const commonNames = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...a].filter((name) => b.has(name)));
