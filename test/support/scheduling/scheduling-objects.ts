/** Nodes and pods for tests of the scheduler's rules. */
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { BoundPods } from '../../../shared/rules/scheduling/cluster/bound-pods.ts';
import { createBoundPods } from '../../../shared/rules/scheduling/cluster/bound-pods.ts';
import type { Cluster, NodeInfo } from '../../../shared/rules/scheduling/cluster/cluster.ts';
import type { PopulatedNode } from '../../../shared/rules/scheduling/pods/placement.ts';
import { aNode } from '../objects/domain-objects.ts';

export type Labels = Readonly<Record<string, string>>;

export interface PlacedPodParts {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly priority?: number;
  /** Seconds after 2026-01-01. */
  readonly start?: number;
  readonly isTerminating?: boolean;
  readonly spec?: object;
  readonly status?: object;
}

/** A pod of namespace `default`; with `app: web` if no labels are given. */
export const placedPod = (parts: PlacedPodParts = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: parts.name ?? 'p',
    namespace: parts.namespace ?? 'default',
    labels: parts.labels ?? { app: 'web' },
    ...(parts.isTerminating ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
  },
  spec: { priority: parts.priority ?? 0, ...parts.spec },
  status: {
    ...(parts.start === undefined
      ? {}
      : { startTime: new Date(Date.UTC(2026) + parts.start * 1000).toISOString() }),
    ...parts.status,
  },
});

/** `web` pods, as many as asked for. */
export const webs = (count: number): readonly Pod[] => Array.from({ length: count }, () => placedPod());

/** A node in the zone that its first letter names; its host label is its name. */
export const zoned = (name: string, labels: Labels = {}): Node =>
  aNode({
    name,
    labels: {
      'topology.kubernetes.io/zone': name.slice(0, 1),
      'kubernetes.io/hostname': name,
      ...labels,
    },
  });

/** Nodes with their pods, by the nodes' names. */
export const populatedBy = (pods: Readonly<Record<string, readonly Pod[]>>): readonly PopulatedNode[] =>
  Object.entries(pods).map(([name, own]) => ({ node: zoned(name), pods: own }));

const boundTo = (nodes: readonly PopulatedNode[]): BoundPods => {
  const bound = createBoundPods();
  for (const { node, pods } of nodes) for (const pod of pods) bound.add(pod, node.metadata.name);
  return bound;
};

/** The nodes, and their pods in groups. */
export const populated = <N extends PopulatedNode>(nodes: readonly N[]) => ({ nodes, bound: boundTo(nodes) });

const NO_STORAGE: Cluster['storage'] = {
  claims: new Map(),
  volumes: new Map(),
  classes: new Map(),
  csiNodes: new Map(),
};

/** A cluster of these nodes with their pods; without storage unless it is given. */
export const clusterOf = (
  nodes: readonly NodeInfo[],
  others: Partial<Omit<Cluster, 'nodes' | 'byName' | 'bound'>> = {},
): Cluster => ({
  storage: NO_STORAGE,
  ...others,
  ...populated(nodes),
  byName: new Map(nodes.map((info) => [info.node.metadata.name, info])),
});

/** The cluster in which this node replaces the one of the same name. */
export const withNode = ({ nodes, ...others }: Cluster, info: NodeInfo): Cluster =>
  clusterOf(
    nodes.map((one) => (one.node.metadata.name === info.node.metadata.name ? info : one)),
    others,
  );

/** Objects by `namespace/name`. */
export const byPath = <T extends ApiObject>(objects: readonly T[]): ReadonlyMap<string, T> =>
  new Map(objects.map((one) => [`${one.metadata.namespace}/${one.metadata.name}`, one]));
