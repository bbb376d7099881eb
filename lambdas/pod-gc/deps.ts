import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { CapacitySweepStore } from '../../shared/ports/store/capacity-sweep.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { PodGcReason } from '../../shared/rules/pods/pod-gc.ts';
import type { DestroyingWriter } from '../../shared/store/writer/destruction.ts';
import type { ControllerConfig } from '../contract/controller.ts';

/** What pod-gc asks for. */
export interface PodGcDeps {
  readonly clock: Clock;
  readonly objects: Pick<
    ObjectStore,
    'read' | 'podsByNode' | 'unboundPods' | 'terminatedPods' | 'nodeHealth'
  >;
  readonly control: Pick<ControlStore, 'sighting' | 'sightings' | 'replaceSighting'>;
  readonly capacitySweep: Pick<CapacitySweepStore, 'allCounters'>;
  readonly queues: WorkQueues;
  readonly heartbeats: Pick<HeartbeatStore, 'read' | 'readRelay'>;
  readonly writer: DestroyingWriter;
  readonly recorder: EventRecorder;
  readonly config: Pick<ControllerConfig, 'terminatedPodGcThreshold' | 'nodeMonitorGracePeriodMs'>;
  /** Pods that are deleted at the same time; default 16. */
  readonly podsAtOnce?: number;
}

/** A pod that was deleted or whose deletion has begun, that a hold keeps, or that could not be deleted. Others are not reported. */
export interface CollectedPod {
  readonly namespace: string;
  readonly reason: PodGcReason;
  readonly outcome: 'deleted' | 'held' | 'failed';
  /** Of a failure. */
  readonly error?: unknown;
}

/** What a message has led to. */
export interface Collection {
  readonly pods: readonly CollectedPod[];
  /** The time of the run was over before it reached all pods. */
  readonly isCut: boolean;
}

export const NOTHING: Collection = { pods: [], isCut: false };
