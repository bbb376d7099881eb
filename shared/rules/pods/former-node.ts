/** A Node that was made again under its name: which pods belonged to the former Node, and whether they go with it. */
import type { Node, Pod } from '../../kube/types/core.ts';
import { bootIdOf } from '../../kube/values/boot-id.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isFinished } from './deletion.ts';
import { type DisruptedPod, disruptedPod } from './disruption-target.ts';
import { isMirrorPod } from './mirror-pod.ts';
import { QUARANTINE_MS } from './pod-gc.ts';

/** The Node of the name that was there before. */
export interface FormerNode {
  readonly uid: string;
  /** The boot in which its machine was; `''`: it has never said so. */
  readonly bootId: string;
}

/**
 * `keep`: it is the same machine, since the same boot, so that the pods really run there, or neither Node says a boot id: then it may be, and
 * the pods stay, as in Kubernetes. `end`: another boot or machine, or only one of both Nodes says. `wait`: the machine may still say so.
 * `createdAt`: when the Node was made again (ms).
 */
export const judgeFormer = (
  former: FormerNode,
  node: Node,
  createdAt: EpochMs,
  now: EpochMs,
): 'keep' | 'end' | 'wait' => {
  const bootId = bootIdOf(node);
  if (node.metadata.uid === former.uid) return 'keep';
  // Neither has said its boot: nothing says that the machine is another one.
  if (bootId === former.bootId) return 'keep';
  if (former.bootId === '') return 'end';
  return bootId === '' && now - createdAt < QUARANTINE_MS ? 'wait' : 'end';
};

/** Whether the pod belonged to a Node from before `createdAt` (ms) and would run on. A static pod belongs to its machine. */
export const isOfFormerNode = (pod: Pod, boundAt: EpochMs | undefined, createdAt: EpochMs): boolean =>
  boundAt !== undefined &&
  boundAt < createdAt &&
  pod.metadata.deletionTimestamp === undefined &&
  !isFinished(pod) &&
  !isMirrorPod(pod);

const WITH_NODE = {
  reason: 'DeletionByPodGC',
  message: 'PodGC: the Node was made again, and the pod belonged to the former one',
};

/** Deletes the pod at `now` (ms) with its grace period: the machine of today confirms it, whether the pod runs there or not. */
export const endedWithNode = (pod: Pod, now: EpochMs): DisruptedPod => disruptedPod(pod, WITH_NODE, now);
