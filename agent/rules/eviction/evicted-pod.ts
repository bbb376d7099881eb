/** What becomes of a pod that is evicted, and what its Event says. Source: kubernetes v1.34 pkg/kubelet/eviction `evictPod`. */
import type { Pod, PodStatus } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { terminatedByAgent } from '../pod-status/disruption.ts';
import type { EvictionAnnotations } from './message.ts';
import type { EvictionSignal, StarvedResource } from './thresholds/signals.ts';

/** A pod that is ended. */
export interface Eviction {
  readonly pod: Pod;
  readonly graceSeconds: number;
  readonly signal: EvictionSignal;
  readonly message: string;
  /** Annotations of the Event. Absent if the pod itself is to blame: it has stored more than it may. */
  readonly annotations?: EvictionAnnotations;
}

export const EVICTED_REASON = 'Evicted';

/** The status of the pod at `now`. It is disrupted only if the node is to blame. */
export const evictedStatus = (
  { pod, message, annotations }: Eviction,
  status: PodStatus,
  now: EpochMs,
): PodStatus => ({
  ...(annotations ? terminatedByAgent(pod, status, message, now) : status),
  phase: 'Failed',
  reason: EVICTED_REASON,
  message,
});

/** An Event that warns about the node or the pod. */
export interface EvictionEvent {
  readonly type: 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly annotations?: EvictionAnnotations;
}

/** The Event of the pod. */
export const evictionEvent = ({ message, annotations }: Eviction): EvictionEvent => ({
  type: 'Warning',
  reason: EVICTED_REASON,
  message,
  ...(annotations && { annotations }),
});

/** The Event of the node: what it tries to free. */
export const shortageEvent = (resource: StarvedResource): EvictionEvent => ({
  type: 'Warning',
  reason: 'EvictionThresholdMet',
  message: `Attempting to reclaim ${resource}`,
});
