/** Images that a node has already. Source: kubernetes v1.34 scheduler plugin `imagelocality`. */
import type { Cluster, NodeInfo } from '../cluster/cluster.ts';
import type { ScorePlugin } from '../cluster/framework.ts';
import { MAX_NODE_SCORE } from '../cluster/framework.ts';
import { schedulingSpec } from '../pods/scheduling-spec.ts';

const MIB = 1024 * 1024;
/** Bytes: less than this in all does not count. */
const MIN_BYTES = 23 * MIB;
/** Bytes for each container: more than this counts no more. */
const MAX_BYTES_PER_CONTAINER = 1000 * MIB;

/** The name with a tag, as nodes report it. */
const withTag = (image: string): string =>
  image.lastIndexOf(':') > image.lastIndexOf('/') ? image : `${image}:latest`;

/**
 * What an image counts on a node that has it: its bytes, times the part of all nodes that have it, so that a rare image does
 * not pull all pods to one node. The size is the one that the first of these nodes reports.
 */
const bytesOf = (image: string, { nodes }: Cluster): number => {
  let first: number | undefined;
  let having = 0;
  for (const { images } of nodes) {
    const size = images.get(image);
    if (size === undefined) continue;
    first ??= size;
    having += 1;
  }
  return Math.floor((first ?? 0) * (having / nodes.length));
};

const scoreOf = (bytes: number, containers: number): number => {
  const most = MAX_BYTES_PER_CONTAINER * containers;
  const counted = Math.min(Math.max(bytes, MIN_BYTES), most);
  return Math.floor((MAX_NODE_SCORE * (counted - MIN_BYTES)) / (most - MIN_BYTES));
};

/** Prefers nodes that have the pod's images. */
export const imageLocalityScore: ScorePlugin = {
  name: 'ImageLocality',
  weight: 1,
  score: (pod, nodes, cluster) => {
    const { containers = [], initContainers = [] } = schedulingSpec(pod);
    const images = [...initContainers, ...containers]
      .map(({ image = '' }) => withTag(image))
      .map((name) => ({ name, bytes: bytesOf(name, cluster) }));
    if (images.every(({ bytes }) => bytes === 0)) return nodes.map(() => 0);
    const sum = (info: NodeInfo): number =>
      images.reduce((total, { name, bytes }) => (info.images.has(name) ? total + bytes : total), 0);
    return nodes.map((info) => scoreOf(sum(info), images.length));
  },
};
