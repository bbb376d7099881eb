/** Changes of objects, as far as they can matter to a pod that waits. */
import type { Node, Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { takesRoom } from './cluster/cluster.ts';

/** `before` is absent for an object that is new, `after` for one that is gone. */
export interface ObjectChange<T extends ApiObject = ApiObject> {
  readonly before?: T | undefined;
  readonly after?: T | undefined;
}

const isOf = (kind: string, { before, after }: ObjectChange): boolean => (after ?? before)?.kind === kind;

/** The change of a Node; `undefined` for another kind. */
export const nodeChange = (change: ObjectChange): ObjectChange<Node> | undefined =>
  isOf('Node', change) ? change : undefined;

const onNode = (pod: Pod | undefined): Pod | undefined =>
  pod?.spec.nodeName && takesRoom(pod) ? pod : undefined;

/**
 * What a change of a Pod means for nodes: a pod that is bound comes, one that ends goes, one that is neither bound nor was
 * does not matter. `undefined` for another kind.
 */
export const boundPodChange = (change: ObjectChange): ObjectChange<Pod> | undefined => {
  if (!isOf('Pod', change)) return undefined;
  const { before, after } = change as ObjectChange<Pod>;
  return { before: onNode(before), after: onNode(after) };
};
