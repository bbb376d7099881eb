/** Which pods a scheduler places. Source: kubernetes v1.34 scheduler `eventhandlers.go`, plugin `schedulinggates`. */
import type { Pod } from '../../kube/types/core.ts';
import { takesRoom } from './cluster/cluster.ts';
import { schedulingSpec } from './pods/scheduling-spec.ts';

/** The scheduler of pods that name none. */
export const DEFAULT_SCHEDULER = 'default-scheduler';

/** Whether the pod waits for a scheduler: it has no node, no gates and no end, and nobody deletes it. */
export const awaitsAnyScheduler = (pod: Pod): boolean => {
  const { nodeName, schedulingGates = [] } = schedulingSpec(pod);
  return (
    !nodeName &&
    schedulingGates.length === 0 &&
    pod.metadata.deletionTimestamp === undefined &&
    takesRoom(pod)
  );
};

/** Whether the pod waits for the scheduler of this name. */
export const awaitsScheduler = (pod: Pod, schedulerName: string = DEFAULT_SCHEDULER): boolean =>
  (schedulingSpec(pod).schedulerName ?? DEFAULT_SCHEDULER) === schedulerName && awaitsAnyScheduler(pod);
