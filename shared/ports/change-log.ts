import type { ApiObject } from '../api/meta.ts';
import type { EpochMs } from '../api/time.ts';
import type { ObjectKey, Revision } from './rows.ts';

/** How to turn the object after a change back into the one before; `null` where there was none. See `object-diff.ts`. */
export interface ObjectDiff {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
  readonly within?: Readonly<Record<string, ObjectDiff>>;
}

export interface LogEntry {
  readonly slot: 'entry';
  readonly revision: Revision;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: ObjectKey;
  /** The object after the change; for DELETED its last state, with the deletion's revision. */
  readonly object: ApiObject;
  readonly before: ObjectDiff | null;
  /** Names the writer's attempt: who finds it in its slot knows that the commit happened. */
  readonly attempt: string;
  readonly at: EpochMs;
  /** When the object ends, as in its row. */
  readonly expiresAt?: EpochMs;
}

/** A number that was taken and will never carry a change. */
export interface Tombstone {
  readonly slot: 'tombstone';
  readonly revision: Revision;
  readonly attempt: string;
  readonly at: EpochMs;
}

export type Slot = LogEntry | Tombstone;

/** At the instant `at`, by the clock of whoever looked, every slot up to `revision` was filled. */
export interface Watermark {
  readonly revision: Revision;
  readonly at: EpochMs;
}

export interface Counter {
  readonly counter: Revision;
  /** Oldest first. */
  readonly watermarks: readonly Watermark[];
  /** The counter's first value; the floor as long as no sample is old enough. */
  readonly seed: Revision;
}

export interface FloorSample {
  readonly minute: number;
  readonly counter: Revision;
}
