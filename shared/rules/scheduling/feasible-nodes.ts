/** Which nodes can take a pod. Source: kubernetes v1.34 scheduler `findNodesThatFitPod`. */
import type { Pod } from '../../kube/types/core.ts';
import type { Cluster, NodeInfo } from './cluster/cluster.ts';
import { withPod } from './cluster/cluster.ts';
import type { FilterPlugin, NodeFilter, Refusal } from './cluster/framework.ts';
import { commonNames } from './cluster/framework.ts';
import { priorityOf } from './pods/pod-importance.ts';

/** Why a node does not take the pod, and which plugin says so. */
export interface NodeRefusal extends Refusal {
  readonly plugin: string;
}

/** Judges one node by all plugins; the first refusal counts. */
export type Judge = (info: NodeInfo) => NodeRefusal | undefined;

/** What the plugins know of a pod before they look at nodes: why no node can take it, or how to judge one. */
export type Readiness = { readonly fault: string; readonly plugin: string } | { readonly judge: Judge };

/** The names that all plugins allow, and the plugins that restrict them. */
interface Allowed {
  readonly names: ReadonlySet<string>;
  readonly plugins: readonly string[];
}

interface Named {
  readonly plugin: string;
  readonly filter: NodeFilter;
}

const restrict = (
  allowed: Allowed | undefined,
  names: ReadonlySet<string> | undefined,
  plugin: string,
): Allowed | undefined => {
  if (!names) return allowed;
  return allowed
    ? { names: commonNames(allowed.names, names), plugins: [...allowed.plugins, plugin].toSorted() }
    : { names, plugins: [plugin] };
};

const leftOut = ({ plugins }: Allowed): NodeRefusal => ({
  plugin: plugins.join(' '),
  reasons: [`node(s) didn't satisfy plugin(s) [${plugins.join(' ')}]`],
  isResolvable: false,
});

const judgeWith = (filters: readonly Named[], allowed: Allowed | undefined): Judge => {
  const outside = allowed && leftOut(allowed);
  return (info) => {
    if (outside && !allowed.names.has(info.node.metadata.name)) return outside;
    for (const { plugin, filter } of filters) {
      const refusal = filter(info);
      if (refusal) return { plugin, ...refusal };
    }
    return undefined;
  };
};

/** Lets every plugin look at the pod once, before any node is judged. */
export const prepare = (pod: Pod, cluster: Cluster, plugins: readonly FilterPlugin[]): Readiness => {
  const filters: Named[] = [];
  let allowed: Allowed | undefined;
  for (const { name: plugin, preFilter } of plugins) {
    const found = preFilter(pod, cluster);
    if (found?.fault !== undefined) return { fault: found.fault, plugin };
    if (found?.filter) filters.push({ plugin, filter: found.filter });
    allowed = restrict(allowed, found?.nodeNames, plugin);
  }
  return { judge: judgeWith(filters, allowed) };
};

/** A pod that waits for a node, on which it has preempted others. */
export interface Nomination {
  readonly pod: Pod;
  readonly nodeName: string;
}

/** The node that an earlier preemption nominated for the pod; empty for none. */
export const nominatedNodeOf = ({ status }: Pod): string => {
  const name = status?.['nominatedNodeName'];
  return typeof name === 'string' ? name : '';
};

/** The other pods that have a right to the room of a node before this one, by node. Source: `addGENominatedPods`. */
const nominatedBefore = (
  pod: Pod,
  nominations: readonly Nomination[],
): ReadonlyMap<string, readonly Pod[]> => {
  const others = nominations.filter(
    ({ pod: other }) => other.metadata.uid !== pod.metadata.uid && priorityOf(other) >= priorityOf(pod),
  );
  const byNode = Map.groupBy(others, ({ nodeName }) => nodeName);
  return new Map([...byNode].map(([name, list]) => [name, list.map((one) => one.pod)]));
};

/**
 * Judges nodes as if the pods that are nominated to them were there, and then as they are: a pod must not count on one that
 * may never come. `judge` is asked about both versions, with the counts of one look at the cluster.
 * Source: kubernetes v1.34 `RunFilterPluginsWithNominatedPods`.
 */
export const withNominations = (judge: Judge, pod: Pod, nominations: readonly Nomination[]): Judge => {
  const before = nominatedBefore(pod, nominations);
  return (info) => {
    const pods = before.get(info.node.metadata.name);
    return (pods && judge(pods.reduce(withPod, info))) ?? judge(info);
  };
};

/**
 * How many feasible nodes an attempt looks for among so many: all of 100, then a smaller part the more there are, at least
 * 5 % and 100. Source: kubernetes v1.34 `numFeasibleNodesToFind`.
 */
export const feasibleNodesToFind = (nodeCount: number): number => {
  const percentage = Math.max(5, 50 - Math.floor(nodeCount / 125));
  return nodeCount < 100 ? nodeCount : Math.max(100, Math.floor((nodeCount * percentage) / 100));
};

/** The nodes that were judged, from the first one on. */
export interface Feasibility {
  readonly feasible: readonly NodeInfo[];
  readonly refusals: ReadonlyMap<string, NodeRefusal>;
}

/** Judges nodes in turn, from `startAt` on and round the end, until enough feasible ones are found. */
export const findFeasible = (nodes: readonly NodeInfo[], judge: Judge, startAt: number): Feasibility => {
  const wanted = feasibleNodesToFind(nodes.length);
  const feasible: NodeInfo[] = [];
  const refusals = new Map<string, NodeRefusal>();
  for (let step = 0; step < nodes.length && feasible.length < wanted; step += 1) {
    const info = nodes[(startAt + step) % nodes.length] as NodeInfo;
    const refusal = judge(info);
    if (refusal) refusals.set(info.node.metadata.name, refusal);
    else feasible.push(info);
  }
  return { feasible, refusals };
};
