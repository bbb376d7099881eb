import type { Pod } from '../../shared/api/core.ts';
import type { Condition } from '../../shared/api/meta.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { toTime } from '../../shared/api/time.ts';
import { DISRUPTION_TARGET } from '../../shared/api/well-known.ts';
import { isReadyToGo, podGraceSeconds, withDeletion } from '../../shared/domain/pods/deletion.ts';
import type { ObjectWrite } from '../../shared/state/object-writer.ts';

const REASON = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
};

const withDisruptionTarget = (pod: Pod, now: EpochMs): Pod => {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== DISRUPTION_TARGET);
  const target: Condition = {
    type: DISRUPTION_TARGET,
    status: 'True',
    lastTransitionTime: toTime(now),
    ...REASON,
  };
  return { ...pod, status: { ...pod.status, conditions: [...others, target] } };
};

/**
 * The write that evicts a pod at `now` (ms). It adds the DisruptionTarget condition and the deletion timestamp, and the pod's node
 * has its grace period to confirm the deletion. A pod that needs no confirmation is deleted at once, with this as its last state.
 * Source: kubernetes v1.34 tainteviction `addConditionAndDeletePod`, which needs two writes.
 */
export const markedForDeletion = (pod: Pod, now: EpochMs): Pick<ObjectWrite, 'next' | 'lastState'> => {
  const next = withDeletion(withDisruptionTarget(pod, now), podGraceSeconds(pod), now);
  return isReadyToGo(next) ? { next: 'delete', lastState: next } : { next };
};
