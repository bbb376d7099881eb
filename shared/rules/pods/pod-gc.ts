/** Which pods the pod garbage collector deletes, and how. Source: kubernetes v1.34 pkg/controller/podgc. */
import type { Node, Pod } from '../../kube/types/core.ts';
import { DISRUPTION_TARGET } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isOutOfService } from '../nodes/out-of-service.ts';
import { isAhead } from '../zones/future-instants.ts';
import { isFinished, withDeletion } from './deletion.ts';
import { type DisruptedPod, deletedPod } from './disruption-target.ts';
import { withPodCondition } from './pod-conditions.ts';

/** Why a pod is deleted, as the label `reason` of the metrics names it. */
export type PodGcReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled' | 'former-node';

/** What is known of the node that a pod names. `none`: the pod names no node. */
export type NodeOfPod = 'none' | 'gone' | 'out-of-service' | 'serving';

/** What is known of the node of this name (`''`: the pod names none), as it was read; `undefined`: it is not there. */
export const nodeOfPod = (nodeName: string, node: Node | undefined): NodeOfPod => {
  if (nodeName === '') return 'none';
  if (node === undefined) return 'gone';
  return isOutOfService(node) ? 'out-of-service' : 'serving';
};

/** Milliseconds for which a node has to be gone before its pods are deleted. */
export const QUARANTINE_MS = 40_000;

/** Why the pod has to go because of its node; `undefined`: it stays. For a node that is gone, the quarantine has passed. */
export const gcReason = ({ metadata }: Pod, node: NodeOfPod): PodGcReason | undefined => {
  if (node === 'gone') return 'orphaned';
  if (metadata.deletionTimestamp === undefined || node === 'serving') return undefined;
  return node === 'none' ? 'unscheduled' : 'out-of-service';
};

/** When a node was first seen to be gone (ms), and the uid that it had; empty for a node that nobody has known. */
export interface AbsentSince {
  readonly since: EpochMs;
  readonly uid: string;
}

/**
 * What to do about the pods of a node that is gone: begin its quarantine, wait for the end of it, or delete the pods. A node that was
 * there meanwhile begins again, and so does one that was seen by a clock ahead of this one.
 */
export const judgeAbsence = (
  seen: AbsentSince | undefined,
  uid: string,
  now: EpochMs,
): 'begin' | 'wait' | 'collect' => {
  if (!seen || seen.uid !== uid || isAhead(seen.since, now)) return 'begin';
  return now - seen.since < QUARANTINE_MS ? 'wait' : 'collect';
};

const NODE_IS_GONE = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };

const withDisruption = (pod: Pod, observed: object, now: EpochMs): Pod =>
  withPodCondition(pod, { type: DISRUPTION_TARGET, status: 'True', ...NODE_IS_GONE, ...observed }, now);

const failed = (pod: Pod, reason: PodGcReason, now: EpochMs): Pod => {
  if (isFinished(pod)) return pod;
  const { generation } = pod.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const marked = reason === 'orphaned' ? withDisruption(pod, observed, now) : pod;
  return { ...marked, status: { ...marked.status, ...observed, phase: 'Failed' } };
};

/**
 * Deletes a pod at `now` (ms) without waiting for its node. A pod that has not ended becomes Failed first; an orphan is told why.
 * Only finalizers hold it. Kubernetes needs two writes, of which the second may be missing.
 */
export const forceDeleted = (pod: Pod, reason: PodGcReason, now: EpochMs): DisruptedPod =>
  deletedPod(withDeletion(failed(pod, reason, now), 0, now));
