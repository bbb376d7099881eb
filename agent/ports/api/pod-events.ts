import type { Pod } from '../../../shared/kube/types/core.ts';

/** An event about a pod, or about one of its containers. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Name of the container that the event is about. */
  readonly container?: string;
}

/** Takes events about pods. It never fails: an event that cannot be sent is lost. */
export interface PodEvents {
  record(pod: Pod, event: PodEvent): void;
}
