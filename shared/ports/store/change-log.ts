import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { ObjectKey, Revision } from './rows.ts';

/** A reverse patch: turns the object after a change back into the object before it. See `object-diff.ts`. */
export interface ObjectDiff {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
  readonly within?: Readonly<Record<string, ObjectDiff>>;
}

/** A slot of the change log that holds one change of one object. */
export interface LogEntry {
  readonly slot: 'entry';
  readonly revision: Revision;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: ObjectKey;
  /** The object after the change; for DELETED its last state, with the deletion's revision. */
  readonly object: ApiObject;
  /** The reverse patch; `null` for an object that did not exist before. */
  readonly before: ObjectDiff | null;
  /** Id of the writer's attempt. A writer that finds its own id in the slot knows that its commit succeeded. */
  readonly attempt: string;
  readonly at: EpochMs;
  /** When the object expires, as in its row. */
  readonly expiresAt?: EpochMs;
}

/** A slot whose revision was taken but will never hold a change. */
export interface Tombstone {
  readonly slot: 'tombstone';
  readonly revision: Revision;
  readonly attempt: string;
  readonly at: EpochMs;
}

/** What is stored in the change log for one revision. A revision without a slot is a hole. */
export type Slot = LogEntry | Tombstone;

/** At instant `at` (by the reader's clock) every slot up to `revision` was filled. */
export interface Watermark {
  readonly revision: Revision;
  readonly at: EpochMs;
}

/** Revisions that were taken for a resource. */
export interface TakenRevisions {
  readonly highest: Revision;
  /** The epoch of the book of holds that the counter knew then; 0: there has never been a hold. */
  readonly holdEpoch: number;
}

/** The revision counter of a resource. */
export interface Counter {
  /** The highest revision that was taken, or, where a store counts revisions when they are used, at least the highest of a slot. */
  readonly counter: Revision;
  /** Oldest first. */
  readonly watermarks: readonly Watermark[];
  /** The counter's first value. It is the floor until some sample is old enough. */
  readonly seed: Revision;
}

/** The counter's value in one minute (minutes since the Unix epoch). Samples tell how far back the history is complete. */
export interface FloorSample {
  readonly minute: number;
  readonly counter: Revision;
}
