/** Which of two pods matters more. Source: kubernetes v1.34 scheduler `util.MoreImportantPod`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { parseTime } from '../../../kube/values/time.ts';
import { schedulingSpec } from './scheduling-spec.ts';

/** The pod's priority; 0 if it has none. Source: kubernetes v1.34 component-helpers `PodPriority`. */
export const priorityOf = (pod: Pod): number => schedulingSpec(pod).priority ?? 0;

/** When the pod started (ms); a pod that has not started is later than all others. */
export const startedAt = ({ status }: Pod): EpochMs => {
  const time = status?.['startTime'];
  return (typeof time === 'string' ? parseTime(time) : undefined) ?? Number.POSITIVE_INFINITY;
};

/** The pods with the more important ones first: of higher priority, among equals those that have run for longer. */
export const inOrderOfImportance = (pods: readonly Pod[]): readonly Pod[] =>
  pods
    .map((pod) => ({ pod, priority: priorityOf(pod), start: startedAt(pod) }))
    .toSorted((a, b) => b.priority - a.priority || Number(a.start > b.start) - Number(a.start < b.start))
    .map(({ pod }) => pod);
