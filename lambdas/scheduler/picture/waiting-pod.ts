import type { Pod } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { VolumeChoice } from '../../../shared/rules/scheduling/volumes/volume-choice.ts';

/** What was chosen for a pod whose volumes are being bound. */
export interface Held {
  readonly nodeName: string;
  readonly choice: VolumeChoice;
}

/** A pod that waits. */
export interface WaitingPod {
  pod: Pod;
  /** When the pod was created (ms), which decides among pods of one priority. */
  readonly createdAt: EpochMs;
  /** Attempts that found no node. */
  attempts: number;
  /** Binds in a row that were refused. */
  refusals: number;
  /** Until then (ms) the pod rests. */
  restsUntil: EpochMs;
  /** Whether a node was found and the bind is under way. */
  isPlaced: boolean;
  /** The group of pods that were refused for the same reasons; absent while the pod is to be tried. */
  group?: string;
  /** Set while the pod waits for its volumes. */
  held?: Held;
  /** When (ms) the pod stops waiting for its volumes; set from their choice on, until the pod is bound or refused. */
  bindingUntil?: EpochMs;
  /** Why the volumes were not bound, before the pod is told. */
  failure?: string;
}
