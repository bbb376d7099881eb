/**
 * The cluster as the scheduler sees it. A node never changes: a placed pod makes a new one. It carries the sums of its pods, so
 * that an attempt does no work per pod where a sum is enough.
 * Source: kubernetes v1.34 scheduler `framework.NodeInfo`.
 */
import type { Node, Pod } from '../../../kube/types/core.ts';
import type { SpreadOwners } from '../pods/default-spread.ts';
import type { HostPort } from '../pods/host-ports.ts';
import { hostPortsOf } from '../pods/host-ports.ts';
import type { NamespaceLabels } from '../pods/placement.ts';
import { podRequests, scoreRequests } from '../pods/pod-requests.ts';
import type { Resources } from '../pods/resources.ts';
import { addResources, NO_RESOURCES, resourcesOf, subtractResources } from '../pods/resources.ts';
import type { Storage } from '../pods/storage.ts';
import type { BoundPods } from './bound-pods.ts';

/** A node, the pods that are bound to it and have not ended, and what they take together. */
export interface NodeInfo {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly allocatable: Resources;
  /** The sum of the pods' requests. */
  readonly requested: Resources;
  /** The sum of what the pods count in the score, see `scoreRequests`. */
  readonly scoreRequested: Resources;
  readonly hostPorts: readonly HostPort[];
  /** Bytes of the images that the node has, by each of their names. */
  readonly images: ReadonlyMap<string, number>;
}

/** All that one attempt looks at. It is read at once and not kept: `byName` and `bound` are those of the present. */
export interface Cluster {
  readonly nodes: readonly NodeInfo[];
  /** The same nodes by their names. */
  readonly byName: ReadonlyMap<string, NodeInfo>;
  /** The pods of all nodes once more, in groups. */
  readonly bound: BoundPods;
  readonly storage: Storage;
  /** Absent: no namespace has a label. */
  readonly namespaces?: NamespaceLabels;
  /** The objects by which pods without constraints of their own are spread. */
  readonly owners?: SpreadOwners;
}

interface Image {
  readonly names?: readonly string[];
  readonly sizeBytes?: number;
}

const imagesOf = ({ status }: Node): ReadonlyMap<string, number> => {
  const images = (status?.['images'] ?? []) as readonly Image[];
  return new Map(images.flatMap(({ names = [], sizeBytes = 0 }) => names.map((name) => [name, sizeBytes])));
};

/** Whether a bound pod takes part of its node. A terminating pod still does. */
export const takesRoom = ({ status }: Pod): boolean =>
  status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

/** The node with one more pod; the same one if that pod has ended. */
export const withPod = (info: NodeInfo, pod: Pod): NodeInfo =>
  takesRoom(pod)
    ? {
        ...info,
        pods: [...info.pods, pod],
        requested: addResources(info.requested, podRequests(pod)),
        scoreRequested: addResources(info.scoreRequested, scoreRequests(pod)),
        hostPorts: [...info.hostPorts, ...hostPortsOf(pod)],
      }
    : info;

/** The node without those of its pods that are given; the same one if none of them is on it. */
export const withoutPods = (info: NodeInfo, leaving: readonly Pod[]): NodeInfo => {
  const uids = new Set(leaving.map(({ metadata }) => metadata.uid));
  const stays = ({ metadata }: Pod): boolean => !uids.has(metadata.uid);
  const pods = info.pods.filter(stays);
  const gone = info.pods.filter((pod) => !stays(pod));
  if (gone.length === 0) return info;
  return {
    ...info,
    pods,
    requested: gone.map(podRequests).reduce(subtractResources, info.requested),
    scoreRequested: gone.map(scoreRequests).reduce(subtractResources, info.scoreRequested),
    hostPorts: pods.flatMap(hostPortsOf),
  };
};

/** A node as the scheduler sees it, with the pods that are bound to it. */
export const nodeInfo = (node: Node, pods: readonly Pod[]): NodeInfo => {
  const staying = pods.filter(takesRoom);
  return {
    node,
    pods: staying,
    allocatable: resourcesOf(node.status?.allocatable),
    requested: staying.map(podRequests).reduce(addResources, NO_RESOURCES),
    scoreRequested: staying.map(scoreRequests).reduce(addResources, NO_RESOURCES),
    hostPorts: staying.flatMap(hostPortsOf),
    images: imagesOf(node),
  };
};
