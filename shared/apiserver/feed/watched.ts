import type { ApiObject } from '../../kube/types/meta.ts';
import type { ListRequest } from '../../store/lists/lists.ts';
import type { WatchChange } from '../changes/change.ts';
import type { FanOut } from './fan-out.ts';

/** A part of the current state; all parts of one answer have the same position. */
export interface StatePart {
  readonly position: number;
  readonly objects: readonly ApiObject[];
}

/** Selects objects before the selectors do. */
export type StateRequest = Pick<ListRequest, 'namespace' | 'source'>;

/** A resource as watches see it. */
export interface Watched {
  readonly changes: FanOut<WatchChange>;
  /** The current state, after which a watch goes on; sorted by namespace and name, in at least one part. */
  state(request: StateRequest): AsyncIterable<StatePart>;
  /** The position after a client's resourceVersion. Throws 410 for a version that this server cannot have sent. */
  positionOf(version: number): Promise<number>;
  /** The current position. */
  head(): Promise<number>;
  /**
   * Milliseconds after which a watch that continues from a version can have new events: earlier ones may repeat
   * what the client already has.
   */
  readonly repeatsMs?: number;
}
