/** One attempt to place a pod. Source: kubernetes v1.34 scheduler `schedulePod`, `prioritizeNodes`, `selectHost`. */
import type { Pod } from '../../kube/types/core.ts';
import type { Cluster, NodeInfo } from './cluster/cluster.ts';
import type { ScorePlugin } from './cluster/framework.ts';
import type { Judge, NodeRefusal, Nomination } from './feasible-nodes.ts';
import { findFeasible, nominatedNodeOf, prepare, withNominations } from './feasible-nodes.ts';
import type { Profile } from './plugins.ts';
import { DEFAULT_PROFILE } from './plugins.ts';

/** What an attempt looks at, besides the pod. */
export interface Attempt {
  readonly cluster: Cluster;
  /** Pods that wait for a node on which they have preempted others. */
  readonly nominations?: readonly Nomination[];
  /** From 0 to below 1: chooses among nodes with the same score. */
  readonly chance: number;
  /** Index of the node that is judged first; in a large cluster each attempt goes on where the one before ended. */
  readonly startAt?: number;
  readonly profile?: Profile;
}

/** The scores of one feasible node, weighted as in the total. */
export interface NodeScore {
  readonly nodeName: string;
  readonly byPlugin: Readonly<Record<string, number>>;
  readonly total: number;
}

/** The pod goes to a node. A single feasible node is not scored. */
export interface Placement {
  readonly nodeName: string;
  readonly feasible: readonly string[];
  readonly scores: readonly NodeScore[];
  /** How many nodes were judged; the next attempt starts this much further on. */
  readonly judged: number;
}

/** No node takes the pod. */
export interface Misfit {
  readonly nodeCount: number;
  /** Why no node could be judged at all. */
  readonly fault?: string;
  /** By the name of the node; empty if there is a fault. */
  readonly refusals: ReadonlyMap<string, NodeRefusal>;
  /** The plugins that refused the pod: only a change that matters to one of them can help. */
  readonly plugins: ReadonlySet<string>;
}

interface Column {
  readonly name: string;
  readonly weight: number;
  readonly scores: readonly number[];
}

// Once for each feasible node, of which there are hundreds: without lists in between.
const rowOf = (nodeName: string, index: number, columns: readonly Column[]): NodeScore => {
  const byPlugin: Record<string, number> = {};
  let total = 0;
  for (const { name, weight, scores } of columns) {
    const weighted = (scores[index] ?? 0) * weight;
    byPlugin[name] = weighted;
    total += weighted;
  }
  return { nodeName, byPlugin, total };
};

/** Scores feasible nodes by all plugins. */
export const scoreNodes = (
  pod: Pod,
  nodes: readonly NodeInfo[],
  cluster: Cluster,
  plugins: readonly ScorePlugin[],
): readonly NodeScore[] => {
  const columns = plugins.flatMap(({ name, weight, score }) => {
    const scores = score(pod, nodes, cluster);
    return scores ? [{ name, weight, scores }] : [];
  });
  return nodes.map(({ node }, index) => rowOf(node.metadata.name, index, columns));
};

/** The node with the best total; `chance` decides among equal ones. */
export const bestOf = (scores: readonly NodeScore[], chance: number): string => {
  const best = scores.reduce((most, { total }) => Math.max(most, total), Number.NEGATIVE_INFINITY);
  const equal = scores.filter(({ total }) => total === best);
  return equal[Math.floor(chance * equal.length)]?.nodeName ?? '';
};

const placement = (
  pod: Pod,
  feasible: readonly NodeInfo[],
  judged: number,
  { cluster, chance, profile = DEFAULT_PROFILE }: Attempt,
): Placement => {
  const names = feasible.map(({ node }) => node.metadata.name);
  if (names.length === 1) return { nodeName: names[0] ?? '', feasible: names, scores: [], judged };
  const scores = scoreNodes(pod, feasible, cluster, profile.scores);
  return { nodeName: bestOf(scores, chance), feasible: names, scores, judged };
};

/** The node that an earlier preemption nominated for the pod, if it takes the pod now; it goes before all others. */
const nominee = (pod: Pod, { byName }: Cluster, judge: Judge): NodeInfo | undefined => {
  const info = byName.get(nominatedNodeOf(pod));
  return info && judge(info) === undefined ? info : undefined;
};

const NO_REFUSALS: ReadonlyMap<string, NodeRefusal> = new Map();

/** Decides where the pod goes, or says why it fits nowhere. */
export const decidePlacement = (pod: Pod, attempt: Attempt): Placement | Misfit => {
  const { cluster, nominations = [], startAt = 0, profile = DEFAULT_PROFILE } = attempt;
  const nodeCount = cluster.nodes.length;
  if (nodeCount === 0) return { nodeCount, refusals: NO_REFUSALS, plugins: new Set() };
  const readiness = prepare(pod, cluster, profile.filters);
  if ('fault' in readiness)
    return { nodeCount, fault: readiness.fault, refusals: NO_REFUSALS, plugins: new Set([readiness.plugin]) };
  const judge = withNominations(readiness.judge, pod, nominations);
  const first = nominee(pod, cluster, judge);
  if (first) return placement(pod, [first], 1, attempt);
  const { feasible, refusals } = findFeasible(cluster.nodes, judge, startAt);
  if (feasible.length > 0) return placement(pod, feasible, feasible.length + refusals.size, attempt);
  return { nodeCount, refusals, plugins: new Set([...refusals.values()].map(({ plugin }) => plugin)) };
};
