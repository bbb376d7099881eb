/** A fleet whose DaemonSets have a pod on each node. */
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { READY } from '../../../shared/kube/types/well-known.ts';
import type { Workload } from '../../../shared/kube/types/workloads.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { nodeKey, type ObjectKey } from '../../../shared/ports/store/rows.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { ObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { podKey } from '../../support/stores/builders.ts';
import { aBoundPod } from './bound-pod.ts';
import { nodeName, T0, uidOf } from './fleet.ts';

export const daemonSetKey = (index: number): ObjectKey => ({
  resource: 'daemonsets',
  namespace: 'default',
  name: `agent-${index}`,
});

const labelsOf = (index: number) => ({ app: `agent-${index}` });

/** A DaemonSet that leaves pods of older revisions alone: the stored pods are of one. */
const aDaemonSet = (index: number): Workload => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: `agent-${index}`,
    namespace: 'default',
    uid: uidOf(`agent-${index}`),
    generation: 1,
    creationTimestamp: toTime(T0),
  },
  spec: {
    selector: { matchLabels: labelsOf(index) },
    updateStrategy: { type: 'OnDelete' },
    revisionHistoryLimit: 10,
    template: {
      metadata: { labels: labelsOf(index) },
      spec: { containers: [{ name: 'agent', image: 'registry.k8s.io/pause:3.10' }] },
    },
  },
});

const aPod = (set: number, node: number): Pod => {
  const pod = aBoundPod(`agent-${set}-${node}`);
  const reference = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: `agent-${set}` };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { ...labelsOf(set), 'controller-revision-hash': '6b8d7c5f9', 'pod-template-generation': '1' },
      ownerReferences: [
        { ...reference, uid: uidOf(`agent-${set}`), controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: { ...pod.spec, nodeName: nodeName(node) },
  };
};

/** A ready node with room. */
export const aReadyNode = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: nodeName(index),
    uid: uidOf(nodeName(index)),
    creationTimestamp: toTime(T0),
    labels: { 'kubernetes.io/hostname': nodeName(index) },
  },
  spec: {},
  status: {
    allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
    conditions: [{ type: READY, status: 'True', reason: 'KubeletReady' }],
  },
});

const indices = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Stores nodes, DaemonSets and a ready pod of each on each node. */
export const storeDaemonFleet = async (
  writer: ObjectWriter,
  nodes: number,
  sets: number,
  atOnce: number,
): Promise<void> => {
  for (const set of indices(sets))
    await writer.write(daemonSetKey(set), () => ({ next: aDaemonSet(set), writer: 'client' }));
  await inParallel(indices(nodes), atOnce, async (node) => {
    await writer.write(nodeKey(nodeName(node)), () => ({ next: aReadyNode(node), writer: 'client' }));
    for (const set of indices(sets)) {
      const pod = aPod(set, node);
      await writer.write(podKey(pod.metadata.name), () => ({ next: pod, writer: 'client' }));
    }
  });
};
