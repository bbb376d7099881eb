/** The status of a ReplicaSet. Source: kubernetes v1.34 pkg/controller/replicaset `calculateStatus`. */

import { deepEqual } from '../../../kube/json/deep-equal.ts';
import { selects } from '../../../kube/selector/object-selector.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { Condition } from '../../../kube/types/meta.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { toTime } from '../../../kube/values/time.ts';
import { isPodReady } from '../../pods/pod-conditions.ts';
import { isAvailable } from '../children/pod-state.ts';

const REPLICA_FAILURE = 'ReplicaFailure';

/** Why pods could not be created or deleted. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

/** `minReadySeconds` of a workload; 0 if it is absent. */
export const minReadySecondsOf = ({ spec }: Workload): number => {
  const seconds = spec?.['minReadySeconds'];
  return typeof seconds === 'number' ? seconds : 0;
};

/** The fields whose number is not 0, because Kubernetes leaves out the others. */
export const withoutZeros = (counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

const conditionsOf = ({ status }: Workload): readonly Condition[] =>
  (status?.['conditions'] ?? []) as readonly Condition[];

const conditionsAfter = (
  owner: Workload,
  failure: ReplicaFailure | undefined,
  now: EpochMs,
): readonly Condition[] => {
  const before = conditionsOf(owner);
  const isThere = before.some(({ type }) => type === REPLICA_FAILURE);
  if (!failure) return isThere ? before.filter(({ type }) => type !== REPLICA_FAILURE) : before;
  if (isThere) return before;
  return [...before, { type: REPLICA_FAILURE, status: 'True', lastTransitionTime: toTime(now), ...failure }];
};

const countsOf = (owner: Workload, active: readonly Pod[], now: EpochMs) => {
  const labels = owner.spec?.template?.metadata?.labels ?? {};
  const seconds = minReadySecondsOf(owner);
  const count = (counts: (pod: Pod) => boolean): number => active.filter(counts).length;
  return withoutZeros({
    fullyLabeledReplicas: count(({ metadata }) => selects({ matchLabels: labels }, metadata.labels)),
    readyReplicas: count(isPodReady),
    availableReplicas: count((pod) => isAvailable(pod, seconds, now)),
  });
};

/**
 * The ReplicaSet with the status that follows from its active pods at `now` (ms); the same object if nothing changes (W-52, W-53).
 */
export const withReplicaSetStatus = (
  owner: Workload,
  active: readonly Pod[],
  failure: ReplicaFailure | undefined,
  now: EpochMs,
): Workload => {
  const conditions = conditionsAfter(owner, failure, now);
  const status = {
    replicas: active.length,
    ...countsOf(owner, active, now),
    observedGeneration: owner.metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  return deepEqual(status, owner.status) ? owner : { ...owner, status };
};
