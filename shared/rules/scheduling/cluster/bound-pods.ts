/**
 * The pods that are bound to nodes, in groups: a rule about other pods looks at each kind of pod once, not at each pod. All of it
 * follows the pods that come and go.
 */
import type { Node, Pod } from '../../../kube/types/core.ts';
import { type ClaimUsers, createClaimUsers } from '../pods/claim-users.ts';
import { type AffinityTerms, hasAffinityTerms, readAffinityTerms } from '../pods/pod-affinity-terms.ts';
import { createLabelGroups, type LabelGroups } from './label-groups.ts';
import { addToTally, type NodeTally } from './node-tally.ts';

/** Pods whose terms are equal, with the same namespaces and labels. */
interface TermGroup {
  readonly terms: AffinityTerms;
  readonly byNode: NodeTally;
}

/** The groups of all pods that have terms. */
interface TermGroups {
  all(): Iterable<TermGroup>;
  add(pod: Pod, nodeName: string): void;
  /** The pod is the one that was added. */
  remove(pod: Pod, nodeName: string): void;
}

/** The bound pods as rules read them: without those that have ended, with those that are being deleted. */
export interface BoundPods {
  readonly labelled: Pick<LabelGroups, 'namespaces' | 'selected'>;
  /** The pods with affinity or anti-affinity of their own. */
  withTerms(): Iterable<TermGroup>;
  readonly claims: Pick<ClaimUsers, 'nodesOf'>;
}

/** All nodes of a cluster, and the pods that are bound to nodes; among those are pods of nodes that do not exist. */
export interface BoundCluster {
  readonly nodes: readonly { readonly node: Node }[];
  readonly bound: BoundPods;
}

/** Bound pods that come and go. */
export interface ChangingBoundPods extends BoundPods {
  /** Counts a pod that is not among them yet. */
  add(pod: Pod, nodeName: string): void;
  /** Takes back `add` of this pod, with the labels and terms that it had then. */
  remove(pod: Pod, nodeName: string): void;
}

/** Creates groups without any pod. Replicas of a template have equal terms, and so stand in one group. */
const createTermGroups = (): TermGroups => {
  const groups = new Map<string, TermGroup & { readonly byNode: Map<string, number> }>();
  return {
    all: () => groups.values(),
    add: (pod, nodeName) => {
      if (!hasAffinityTerms(pod)) return;
      const terms = readAffinityTerms(pod);
      const identity = JSON.stringify(terms);
      const group = groups.get(identity) ?? { terms, byNode: new Map() };
      groups.set(identity, group);
      addToTally(group.byNode, nodeName, 1);
    },
    remove: (pod, nodeName) => {
      if (!hasAffinityTerms(pod)) return;
      const identity = JSON.stringify(readAffinityTerms(pod));
      const group = groups.get(identity);
      if (!group) return;
      addToTally(group.byNode, nodeName, -1);
      if (group.byNode.size === 0) groups.delete(identity);
    },
  };
};

/** Creates bound pods without any pod. */
export const createBoundPods = (): ChangingBoundPods => {
  const labelled = createLabelGroups();
  const termed: TermGroups = createTermGroups();
  const claims = createClaimUsers();
  const parts = [labelled, termed, claims];
  return {
    labelled,
    withTerms: termed.all,
    claims,
    add: (pod, nodeName) => {
      for (const part of parts) part.add(pod, nodeName);
    },
    remove: (pod, nodeName) => {
      for (const part of parts) part.remove(pod, nodeName);
    },
  };
};
