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
 * The pod as its eviction at `now` (ms) leaves it: DisruptionTarget and a deletion that its node confirms by the end of
 * its grace period. Where there is nothing to wait for it goes in that state at once.
 * Source: kubernetes v1.34 tainteviction `addConditionAndDeletePod`, which needs two writes.
 */
export const markedForDeletion = (pod: Pod, now: EpochMs): Pick<ObjectWrite, 'next' | 'lastState'> => {
  const next = withDeletion(withDisruptionTarget(pod, now), podGraceSeconds(pod), now);
  return isReadyToGo(next) ? { next: 'delete', lastState: next } : { next };
};
