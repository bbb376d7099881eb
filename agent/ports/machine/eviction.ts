/** What eviction asks of the rest of the agent. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { NodeReclaim } from '../../rules/eviction/disk-layout.ts';
import type { EvictionEvent } from '../../rules/eviction/evicted-pod.ts';
import type { PodsOnNode } from './shutdown.ts';
import type { PodToMeasure } from './stats-source.ts';

/** The pods that can be evicted. */
export interface EvictablePods extends Pick<PodsOnNode, 'active' | 'end'> {
  /** Where the active pods keep what they use. */
  measurable(): readonly PodToMeasure[];
  /** Whether nothing of the pod is left on the machine: no container, no volume, no control group. */
  isCleanedUp(pod: Pod): boolean;
}

/** Takes Events. It never fails: an Event that cannot be sent is lost. */
export interface EvictionEvents {
  ofPod(pod: Pod, event: EvictionEvent): void;
  ofNode(event: EvictionEvent): void;
}

/** Deletes what nobody uses any more. Rejects if something could not be deleted. */
export type ReclaimNode = (what: NodeReclaim) => Promise<void>;
