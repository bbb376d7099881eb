import type { Pod } from '../../../shared/kube/types/core.ts';
import { type EpochMs, toTime } from '../../../shared/kube/values/time.ts';

/** The pod as its node reports it when it runs and is ready. */
export const runningPod = (pod: Pod, now: EpochMs): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    phase: 'Running',
    conditions: [
      ...(pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready'),
      { type: 'Ready', status: 'True', lastTransitionTime: toTime(now) },
    ],
  },
});
