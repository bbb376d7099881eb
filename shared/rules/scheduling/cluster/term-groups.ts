/** Bound pods with affinity or anti-affinity of their own, in groups of equal terms: replicas of a template have the same ones. */
import type { Pod } from '../../../kube/types/core.ts';
import type { AffinityTerms } from '../pods/pod-affinity-terms.ts';
import { hasAffinityTerms, readAffinityTerms } from '../pods/pod-affinity-terms.ts';
import type { NodeTally } from './node-tally.ts';
import { addToTally } from './node-tally.ts';

/** Pods whose terms are equal, with the same namespaces and labels. */
export interface TermGroup {
  readonly terms: AffinityTerms;
  readonly byNode: NodeTally;
}

/** The groups of all pods that have terms. */
export interface TermGroups {
  all(): Iterable<TermGroup>;
  add(pod: Pod, nodeName: string): void;
  /** The pod is the one that was added. */
  remove(pod: Pod, nodeName: string): void;
}

/** Creates groups without any pod. */
export const createTermGroups = (): TermGroups => {
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
