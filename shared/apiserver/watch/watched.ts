import type { ApiObject } from '../../api/meta.ts';
import type { ListRequest } from '../../state/lists.ts';
import type { WatchChange } from './change.ts';
import type { FanOut } from './fan-out.ts';

/** A part of the present state; all parts of one answer are of the same position. */
export interface StatePart {
  readonly position: number;
  readonly objects: readonly ApiObject[];
}

/** Which objects are wanted before selectors. */
export type StateRequest = Pick<ListRequest, 'namespace' | 'source'>;

/** A resource as watches see it. */
export interface Watched {
  readonly changes: FanOut<WatchChange>;
  /** The state from which a watch goes on, sorted by namespace and name. There is at least one part. */
  state(request: StateRequest): AsyncIterable<StatePart>;
  /** The position after a client's resourceVersion. Throws 410 for one that this server cannot have told it. */
  positionOf(version: number): Promise<number>;
  /** The position now. */
  head(): Promise<number>;
  /** Milliseconds before a watch that goes on from a version has anything new to tell; what comes sooner is told again. */
  readonly repeatsMs?: number;
}
