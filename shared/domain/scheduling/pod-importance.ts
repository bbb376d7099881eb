/** Which of two pods matters more. Source: kubernetes v1.34 scheduler `util.MoreImportantPod`. */
import type { Pod } from '../../api/core.ts';
import type { EpochMs } from '../../api/time.ts';
import { parseTime } from '../../api/time.ts';
import { schedulingSpec } from './scheduling-spec.ts';

/** The pod's priority; 0 if it has none. Source: kubernetes v1.34 component-helpers `PodPriority`. */
export const priorityOf = (pod: Pod): number => schedulingSpec(pod).priority ?? 0;

/** When the pod started (ms); a pod that has not started is later than all others. */
export const startedAt = ({ status }: Pod): EpochMs => {
  const time = status?.['startTime'];
  return (typeof time === 'string' ? parseTime(time) : undefined) ?? Number.POSITIVE_INFINITY;
};

/** Compares: the higher priority comes first, among equals the pod that has run for longer. */
export const byImportance = (a: Pod, b: Pod): number => {
  if (priorityOf(a) !== priorityOf(b)) return priorityOf(b) - priorityOf(a);
  return startedAt(a) < startedAt(b) ? -1 : Number(startedAt(a) > startedAt(b));
};
