import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeHealthRow } from '../../rules/nodes/node-health.ts';
import type { Counter, FloorSample, Slot, TakenRevisions, Tombstone, Watermark } from './change-log.ts';
import type { Commit, CommitOutcome } from './commit.ts';
import type { Eventual } from './eventual.ts';
import type { LiveRow, ObjectKey, Revision, Row } from './rows.ts';

/**
 * Characters of JSON after which a store ends a read. Objects may have 1.5 MB, so a number of rows alone bounds neither the
 * memory nor the time of a read.
 */
export const CHARACTERS_PER_READ = 2_097_152;

/** The resources of which holds keep objects; their counters know the epoch of the book of holds. */
export const HELD_RESOURCES: readonly string[] = ['pods', 'nodes', 'volumeattachments'];

/** One page of the live rows of a resource. */
export interface Page {
  /**
   * Sorted by `namespace/name`, without markers. If the query has a limit, the work for one page is bounded: it ends after
   * about `CHARACTERS_PER_READ`, and may be empty although more rows follow.
   */
  readonly rows: readonly LiveRow[];
  /** Everything up to and including this `namespace/name` was read; `undefined`: the end. */
  readonly next?: string;
  /** Number of live rows after `next`. Absent if not requested, if the store does not count, or if there are more than `MOST_COUNTED`. */
  readonly behind?: number;
}

/** The most rows that a store counts after a page, which bounds the work of one list. */
export const MOST_COUNTED = 10_000;

/** Which page to read. */
export interface PageQuery {
  readonly resource: string;
  /** `''` for all namespaces. */
  readonly namespace: string;
  /** Exclusive `namespace/name` where the page starts. */
  readonly after?: string;
  /** Rows to return at most; fewer may come. */
  readonly limit?: number;
  /** Whether to count the rows after the page. */
  readonly counts?: boolean;
}

/** The filled slots of a range of revisions. */
export interface SlotRange {
  /** In the order of their revisions. Revisions up to `upTo` that are missing are holes. */
  readonly slots: ReadonlyMap<Revision, Slot>;
  /** The last revision that was read: the end of the range, or an earlier one, because a read ends after about `CHARACTERS_PER_READ`. */
  readonly upTo: Revision;
}

/** A pod that has ended, as the index shows it. */
export interface TerminatedPod {
  readonly key: ObjectKey;
  /** See `terminatedPlace`. */
  readonly place: string;
}

/** How stale reads may be, in milliseconds. 0: a read sees every earlier commit. */
export interface ReadLag {
  /** Of `page`, which may see one half of a transaction before the other. */
  readonly tableMs: number;
  /** Of the `Eventual` reads. */
  readonly indexMs: number;
}

/** The lag that the DynamoDB adapter declares: a safe upper bound, as the service shows a second and a few seconds. */
export const DYNAMODB_LAG: ReadLag = { tableMs: 10_000, indexMs: 70_000 };

/**
 * Objects and their change log: the primitives on which `shared/store` builds revisions, lists and the watch.
 * Reads are consistent unless typed `Eventual`. Throws `StatusError` 429 when throttled for longer than the adapter retries.
 */
export interface ObjectStore {
  /** How long after a commit reads may still miss it. */
  readonly lag: ReadLag;
  /** Takes `count` revisions. A count of 0 only creates a missing counter. */
  takeRevisions(resource: string, count: number, now: EpochMs): Promise<TakenRevisions>;
  /**
   * Raises the epoch of holds to `epoch`, never lowers it, and returns the highest revision that was taken: whoever takes a later one gets
   * this epoch with it. It is durable when it returns. Creates a missing counter.
   */
  raiseHoldEpoch(resource: string, epoch: number, now: EpochMs): Promise<Revision>;
  /** The counter of a resource; `undefined` if no revision was ever taken. */
  counter(resource: string): Promise<Counter | undefined>;
  /** Replaces the watermarks if they are still `read`. Otherwise another reader was faster, and nothing changes. */
  replaceWatermarks(resource: string, read: readonly Watermark[], next: readonly Watermark[]): Promise<void>;
  /** Writes object and log entry in one transaction, or nothing. */
  commit(commit: Commit): Promise<CommitOutcome>;
  /** The filled slots in [from, to], or in the first part of it. */
  slots(resource: string, from: Revision, to: Revision): Promise<SlotRange>;
  /**
   * The highest revision, at most `to`, up to which every slot after `from` is filled, as far as the store knows without reading them.
   * It is `from` where a store does not know. Rows that are read afterwards, without a lag, include every change up to it.
   */
  filledUpTo(resource: string, from: Revision, to: Revision): Promise<Revision>;
  /** Fills a hole. Returns `undefined` when the tombstone was stored, otherwise the slot that was already there. */
  putTombstone(resource: string, tombstone: Tombstone): Promise<Slot | undefined>;
  /** Stores a sample, unless its minute already has one. */
  addFloorSample(resource: string, sample: FloorSample, expiresAt: EpochMs): Promise<void>;
  /** All samples of a resource that have not been removed, oldest first. */
  floorSamples(resource: string): Promise<readonly FloorSample[]>;

  /** The row of an object, a marker included; `undefined` if there is none. */
  read(key: ObjectKey): Promise<Row | undefined>;
  /** One page of the live rows of a resource. */
  page(query: PageQuery): Promise<Page>;
  /** `false`: the resource has no live row, after every earlier commit. `true` also where the store would have to read. */
  mayHave(resource: string): boolean;
  /** The pods that are bound to a node, from an index that lags by up to `lag.indexMs`. */
  podsByNode(nodeName: string): Promise<Eventual<readonly LiveRow[]>>;
  /** The pods that are not bound, in parts, from an index that lags by up to `lag.indexMs`. */
  unboundPods(): AsyncIterable<Eventual<readonly LiveRow[]>>;
  /** The pods that have ended, in parts and in no order, from an index that lags by up to `lag.indexMs`. */
  terminatedPods(): AsyncIterable<Eventual<readonly TerminatedPod[]>>;
  /** The index `node-health` of all nodes, in parts. */
  nodeHealth(): AsyncIterable<Eventual<readonly NodeHealthRow[]>>;
}
