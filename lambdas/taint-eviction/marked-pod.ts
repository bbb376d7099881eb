import type { Pod } from '../../shared/api/core.ts';
import type { Condition } from '../../shared/api/meta.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { toTime } from '../../shared/api/time.ts';
import { DISRUPTION_TARGET } from '../../shared/api/well-known.ts';

/** Seconds that a pod gets where it does not say. Source: kubernetes core/v1 `DefaultTerminationGracePeriodSeconds`. */
const DEFAULT_GRACE_SECONDS = 30;

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

/** Seconds until the node must have stopped it; 0 where no node confirms. Source: kubernetes registry/core/pod `CheckGracefulDelete`. */
const graceSeconds = ({ spec, status }: Pod): number => {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return isOver ? 0 : Math.max(0, spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
};

/**
 * The pod as its eviction at `now` (ms) leaves it: DisruptionTarget and a deletion that its node confirms by the end of
 * its grace period. `delete` where there is nothing to wait for.
 * Source: kubernetes v1.34 tainteviction `addConditionAndDeletePod`, which needs two writes.
 */
export const markedForDeletion = (pod: Pod, now: EpochMs): Pod | 'delete' => {
  const seconds = graceSeconds(pod);
  if (seconds === 0 && (pod.metadata.finalizers ?? []).length === 0) return 'delete';
  const metadata = {
    ...pod.metadata,
    generation: (pod.metadata.generation ?? 0) + 1,
    deletionTimestamp: toTime(now + seconds * 1000),
    deletionGracePeriodSeconds: seconds,
  };
  return { ...withDisruptionTarget(pod, now), metadata };
};
