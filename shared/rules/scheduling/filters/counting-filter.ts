/**
 * Filters that count pods of all nodes once for an attempt. They may then be asked about any version of a node, with pods gone
 * or added, and count only the difference. Source: kubernetes v1.34 scheduler `framework.PreFilterExtensions`.
 */
import type { Cluster, NodeInfo } from '../cluster/cluster.ts';
import type { NodeFilter, Refusal } from '../cluster/framework.ts';
import type { PodChange } from '../pods/placement.ts';

const NO_CHANGE: PodChange = {};

const difference = ({ pods }: NodeInfo, before: NodeInfo | undefined): PodChange => {
  if (!before || before.pods === pods) return NO_CHANGE;
  const [now, then] = [new Set(pods), new Set(before.pods)];
  return {
    removed: before.pods.filter((pod) => !now.has(pod)),
    added: pods.filter((pod) => !then.has(pod)),
  };
};

/** Judges a version of a node. `change` says how its pods differ from those of the same node that were counted. */
export type RefuseChanged = (info: NodeInfo, change: PodChange) => Refusal | undefined;

/** The filter by `refuse`, whose counts are those of the cluster. */
export const countingFilter =
  ({ byName }: Cluster, refuse: RefuseChanged): NodeFilter =>
  (info) =>
    refuse(info, difference(info, byName.get(info.node.metadata.name)));
