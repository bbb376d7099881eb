import type { Toleration } from '../api/core.ts';
import type { ApiObject } from '../api/meta.ts';
import type { EpochMs } from '../api/time.ts';
import type { NodeHealthRow } from '../domain/nodes/node-health.ts';
import type { NoExecuteFacts, NoExecuteTaint } from '../domain/nodes/taints.ts';
import type { Eventual } from './eventual.ts';

/** A number of a resource's revision space: seeded with epoch ms, then counted up by one. Never 0. */
export type Revision = number;

/** `namespace` is `''` for cluster-scoped resources. `resource` is the plural, such as `nodes`. */
export interface ObjectKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What is stored of a node beside the object: what the `node-health` index holds, and what only the node's own row has. */
export interface NodeFacts extends Omit<NodeHealthRow, 'name' | 'uid'>, NoExecuteFacts {
  /** The monitor turned Ready from True to Unknown, and Unknown it has been ever since: its pods are not ready. */
  readonly silenced?: true;
  /** The node registered itself or wrote to its own Node: some machine has credentials of its own for it. */
  readonly isClaimed?: true;
}

/** What the `pods-by-node` and `unbound-pods` indexes hold of a pod. */
export interface PodFacts {
  /** `''` while the pod is not bound. */
  readonly nodeName: string;
  /** When `spec.nodeName` was written, by our clock. */
  readonly boundAt?: EpochMs;
  /** When the tolerations of the bound pod were last changed, by our clock. */
  readonly toleratedAt?: EpochMs;
  readonly tolerations: readonly Toleration[];
  readonly phase?: string;
  readonly deletionTimestamp?: string;
  /** `Kind/name` of the controlling owner. */
  readonly owner?: string;
}

export interface Facts {
  readonly node?: NodeFacts;
  readonly pod?: PodFacts;
}

/** An object as stored. `metadata.resourceVersion` of `object` equals `revision`. */
export interface LiveRow {
  readonly state: 'live';
  readonly key: ObjectKey;
  readonly uid: string;
  readonly revision: Revision;
  readonly object: ApiObject;
  readonly facts: Facts;
  /** When the object ends; the row goes some time after that. Absent: never. */
  readonly expiresAt?: EpochMs;
}

/** What a deleted object leaves for a day, so that a late create cannot slip in below its deletion. */
export interface Marker {
  readonly state: 'marker';
  readonly key: ObjectKey;
  readonly uid: string;
  readonly revision: Revision;
}

export type Row = LiveRow | Marker;

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

/** What a commit does to the heartbeat item of a node, in the same transaction. */
export type HeartbeatEffect =
  /** Node created: puts the item or adopts one without `uid`; beats of an earlier node are cleared. */
  | {
      readonly effect: 'adopt';
      readonly node: string;
      readonly uid: string;
      readonly beat?: StatusBeat;
      readonly expiresAt: EpochMs;
    }
  /** Node deleted: beats, lease and `uid` go, `version` becomes the given one, which must be higher. */
  | {
      readonly effect: 'retire';
      readonly node: string;
      readonly version: number;
      readonly expiresAt: EpochMs;
    }
  /** Status written by a client with a changed heartbeat time; an entry that had expired is made again. */
  | {
      readonly effect: 'beat';
      readonly node: string;
      readonly uid: string;
      readonly beat: StatusBeat;
      readonly expiresAt: EpochMs;
    }
  /** Condition only: no beat since the one that was read (`undefined`: never one). */
  | { readonly effect: 'unmoved'; readonly node: string; readonly observedAt: EpochMs | undefined };

export interface StatusBeat {
  readonly at: EpochMs;
  /** The client's `lastHeartbeatTime` strings by condition type. */
  readonly times: Readonly<Record<string, string>>;
}

/** Condition of another row: the node's NoExecute taints are still those that were read. */
export interface NoExecuteCheck {
  readonly node: string;
  readonly noExecute: readonly NoExecuteTaint[];
}

export interface Commit {
  readonly key: ObjectKey;
  readonly revision: Revision;
  /** The revision of the live row that was read; `undefined`: absent, or a marker below `revision`. */
  readonly expected: Revision | undefined;
  readonly next:
    | {
        readonly uid: string;
        readonly object: ApiObject;
        readonly facts: Facts;
        readonly expiresAt?: EpochMs;
      }
    | 'marker';
  readonly uid: string;
  readonly entry: LogEntry;
  readonly heartbeat?: HeartbeatEffect;
  readonly check?: NoExecuteCheck;
}

export type CommitOutcome =
  | { readonly outcome: 'committed' }
  /** The object is not the one that was read, or its revision is not below ours. */
  | { readonly outcome: 'objectConflict' }
  | { readonly outcome: 'slotTaken'; readonly slot: Slot }
  /** The heartbeat item or the checked node is not as required. */
  | { readonly outcome: 'checkFailed' }
  /** TransactionConflict or throttled: nothing was written; the same commit may be sent again. */
  | { readonly outcome: 'busy' }
  /** Nobody knows whether it was written; the slot tells. */
  | { readonly outcome: 'unclear' };

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
