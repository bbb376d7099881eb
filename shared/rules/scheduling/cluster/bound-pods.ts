/**
 * The pods that are bound to nodes, in groups: a rule about other pods looks at each kind of pod once, not at each pod. All of it
 * follows the pods that come and go.
 */
import type { Node, Pod } from '../../../kube/types/core.ts';
import type { ClaimUsers } from '../pods/claim-users.ts';
import { createClaimUsers } from '../pods/claim-users.ts';
import type { LabelGroups } from './label-groups.ts';
import { createLabelGroups } from './label-groups.ts';
import type { TermGroup, TermGroups } from './term-groups.ts';
import { createTermGroups } from './term-groups.ts';

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
