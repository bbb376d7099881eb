/** The status of a StatefulSet. Source: kubernetes v1.34 pkg/controller/statefulset `computeReplicaStatus`, `completeRollingUpdate`. */

import { deepEqual } from '../../../kube/json/deep-equal.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { isPodReady } from '../../pods/pod-conditions.ts';
import { isAvailable } from '../children/pod-state.ts';
import { replicasOf } from '../replica-set/replica-set.ts';
import { minReadySecondsOf, withoutZeros } from '../replica-set/replica-set-status.ts';
import { revisionOf } from './stateful-set-pods.ts';
import { partitionOf } from './stateful-set-spec.ts';

/** Names of the revisions, and how many names of revisions were taken. */
export interface SetRevisions {
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number;
}

const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && isPodReady(pod);

const countsOf = (set: Workload, pods: readonly Pod[], { current, update }: SetRevisions, now: EpochMs) => {
  const seconds = minReadySecondsOf(set);
  const ready = pods.filter(isRunningAndReady);
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const ofRevision = (name: string): number => staying.filter((pod) => revisionOf(pod) === name).length;
  return {
    replicas: pods.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, seconds, now)).length,
    readyReplicas: ready.length,
    currentReplicas: ofRevision(current),
    updatedReplicas: ofRevision(update),
  };
};

/** Whether a rolling update has come to its end: the update revision becomes the current one (W-148). */
const isComplete = (
  set: Workload,
  { replicas, readyReplicas, updatedReplicas }: ReturnType<typeof countsOf>,
) => {
  const wanted = replicasOf(set);
  const isRolling = partitionOf(set) !== undefined;
  return isRolling && [replicas, readyReplicas, updatedReplicas].every((count) => count === wanted);
};

/** The StatefulSet with the status that follows from its pods at `now` (ms); the same object if nothing changes (W-147, W-148). */
export const withStatefulSetStatus = (
  set: Workload,
  pods: readonly Pod[],
  revisions: SetRevisions,
  now: EpochMs,
): Workload => {
  const counts = countsOf(set, pods, revisions, now);
  const isDone = isComplete(set, counts);
  const { replicas, availableReplicas, readyReplicas, updatedReplicas } = counts;
  const currentReplicas = isDone ? updatedReplicas : counts.currentReplicas;
  const status = {
    replicas,
    availableReplicas,
    ...withoutZeros({ readyReplicas, currentReplicas, updatedReplicas }),
    observedGeneration: set.metadata.generation ?? 0,
    currentRevision: isDone ? revisions.update : revisions.current,
    updateRevision: revisions.update,
    collisionCount: revisions.collisionCount,
  };
  return deepEqual(status, set.status) ? set : { ...set, status };
};
