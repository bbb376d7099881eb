/** What the runtime says about a container. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';

export type RuntimeState = 'created' | 'running' | 'exited' | 'unknown';

export interface RuntimeContainer {
  /** Runtime and id, such as `runc://4711`. */
  readonly id: string;
  readonly name: string;
  readonly state: RuntimeState;
  readonly createdAt: EpochMs;
  readonly startedAt?: EpochMs;
  readonly finishedAt?: EpochMs;
  /** Of a container that has exited. */
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
  /** How often the container was started before this one. */
  readonly restartCount: number;
  readonly image: string;
  readonly imageId: string;
  /** The image that the pod's specification named when the container was started; absent if the runtime does not keep it. */
  readonly wantedImage?: string;
}

/** Newest first; of those of one moment that which was started more often. */
export const newestFirst = (containers: readonly RuntimeContainer[]): readonly RuntimeContainer[] =>
  containers.toSorted((a, b) => b.createdAt - a.createdAt || b.restartCount - a.restartCount);
