/** Where bound pods use claims for volumes: whether a claim is in use is asked of the whole cluster. */
import type { Pod } from '../../../kube/types/core.ts';
import { schedulingSpec } from './scheduling-spec.ts';

/** The names of the claims in the pod's volumes, each once. Those of ephemeral volumes are the pod's own and not among them. */
export const sharedClaimsOf = (pod: Pod): ReadonlySet<string> =>
  new Set(
    (schedulingSpec(pod).volumes ?? []).flatMap(
      ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
    ),
  );

/** The users of all claims. */
export interface ClaimUsers {
  /** The name of the node of each pod that uses the claim. */
  nodesOf(namespace: string, claim: string): readonly string[];
  add(pod: Pod, nodeName: string): void;
  /** The pod is the one that was added. */
  remove(pod: Pod, nodeName: string): void;
}

/** Takes out one of the names; which one comes last does not matter. */
const takeOut = (names: string[], name: string): void => {
  const index = names.indexOf(name);
  if (index < 0) return;
  const last = names.pop() ?? name;
  if (index < names.length) names[index] = last;
};

/** Creates users without any pod. */
export const createClaimUsers = (): ClaimUsers => {
  // Lists, since nearly all claims have one user: sets take several times as much memory.
  const nodes = new Map<string, string[]>();
  const pathsOf = (pod: Pod): readonly string[] =>
    [...sharedClaimsOf(pod)].map((claim) => `${pod.metadata.namespace ?? ''}/${claim}`);
  return {
    nodesOf: (namespace, claim) => nodes.get(`${namespace}/${claim}`) ?? [],
    add: (pod, nodeName) => {
      for (const path of pathsOf(pod)) {
        const names = nodes.get(path);
        if (names) names.push(nodeName);
        else nodes.set(path, [nodeName]);
      }
    },
    remove: (pod, nodeName) => {
      for (const path of pathsOf(pod)) {
        const names = nodes.get(path);
        if (names) takeOut(names, nodeName);
        if (names?.length === 0) nodes.delete(path);
      }
    },
  };
};
