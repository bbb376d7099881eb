import type { EpochMs } from '../api/time.ts';
import type { NodeHealthRow } from '../domain/nodes/node-health.ts';
import type { Counter, FloorSample, Slot, Tombstone, Watermark } from './change-log.ts';
import type { Commit, CommitOutcome } from './commit.ts';
import type { Eventual } from './eventual.ts';
import type { LiveRow, ObjectKey, Revision, Row } from './rows.ts';

export interface Page {
  /** Sorted by `namespace/name`, without markers. There may be none although more follow: work for one page is bounded. */
  readonly rows: readonly LiveRow[];
  /** Everything up to and including this `namespace/name` was read; `undefined`: the end. */
  readonly next?: string;
  /** Live rows behind `next`, if asked for and if the store counts them: at most `MOST_COUNTED`, else absent. */
  readonly behind?: number;
}

/** Rows behind a page that are counted at most. */
export const MOST_COUNTED = 10_000;

export interface PageQuery {
  readonly resource: string;
  /** `''` for all namespaces. */
  readonly namespace: string;
  /** Exclusive `namespace/name` to go on from. */
  readonly after?: string;
  /** Rows to return at most; fewer may come. */
  readonly limit?: number;
  /** Asks how many rows are behind the page. */
  readonly counts?: boolean;
}

/** Milliseconds; 0: what is committed is seen by the next read. */
export interface ReadLag {
  /** Of `page`: one half of a transaction may be seen before the other. */
  readonly tableMs: number;
  /** Of the `Eventual` reads. */
  readonly indexMs: number;
}

/** What DynamoDB's adapter says of itself: far more than the service shows, which is a second and a few seconds. */
export const DYNAMODB_LAG: ReadLag = { tableMs: 10_000, indexMs: 70_000 };

/**
 * Objects and their change log: the primitives on which `shared/state` builds revisions, lists and the watch.
 * Reads are consistent unless typed `Eventual`. Throws `StatusError` 429 when throttled for longer than the adapter retries.
 */
export interface ObjectLog {
  /** How long after a commit reads may still lack it. */
  readonly lag: ReadLag;
  /** Takes `count` numbers (0 only makes sure that the counter exists) and returns the highest. */
  takeRevisions(resource: string, count: number, now: EpochMs): Promise<Revision>;
  /** `undefined` as long as no number was ever taken. */
  counter(resource: string): Promise<Counter | undefined>;
  /** Replaces the watermarks if they are still `read`; else another list was faster, and nothing happens. */
  replaceWatermarks(resource: string, read: readonly Watermark[], next: readonly Watermark[]): Promise<void>;
  commit(commit: Commit): Promise<CommitOutcome>;
  /** Slots in [from, to] that are filled; the others are holes. */
  slots(resource: string, from: Revision, to: Revision): Promise<ReadonlyMap<Revision, Slot>>;
  /** Fills a hole. `undefined`: done, this number carries nothing; otherwise the slot that was there already. */
  putTombstone(resource: string, tombstone: Tombstone): Promise<Slot | undefined>;
  addFloorSample(resource: string, sample: FloorSample, expiresAt: EpochMs): Promise<void>;
  /** Oldest first. */
  floorSamples(resource: string): Promise<readonly FloorSample[]>;

  read(key: ObjectKey): Promise<Row | undefined>;
  page(query: PageQuery): Promise<Page>;
  podsByNode(nodeName: string): Promise<Eventual<readonly LiveRow[]>>;
  unboundPods(): Promise<Eventual<readonly LiveRow[]>>;
  nodeHealth(): AsyncIterable<Eventual<readonly NodeHealthRow[]>>;
}
