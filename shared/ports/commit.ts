import type { ApiObject } from '../api/meta.ts';
import type { EpochMs } from '../api/time.ts';
import type { NoExecuteTaint } from '../domain/nodes/taints.ts';
import type { LogEntry, Slot } from './change-log.ts';
import type { Facts, ObjectKey, Revision } from './rows.ts';

export interface StatusBeat {
  readonly at: EpochMs;
  /** The client's `lastHeartbeatTime` strings by condition type. */
  readonly times: Readonly<Record<string, string>>;
}

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
