import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { NoExecuteTaint } from '../../rules/nodes/taints.ts';
import type { EdgeChange } from '../../rules/owners/owner-edges.ts';
import type { RelayPart } from '../../rules/relays/relay-items.ts';
import type { AddressChange } from './addresses.ts';
import type { CapacityEffect } from './capacity.ts';
import type { LogEntry, Slot } from './change-log.ts';
import type { TurnCheck } from './owner-turns.ts';
import type { Facts, ObjectKey, Revision, RowCheck } from './rows.ts';

/** A heartbeat that arrived as a status write. */
export interface StatusBeat {
  readonly at: EpochMs;
  /** The client's `lastHeartbeatTime` strings by condition type. */
  readonly times: Readonly<Record<string, string>>;
}

/** The last batch of a part of a relay, as it was read; `sequence` absent: none. */
export interface SeenBatch {
  readonly part: RelayPart;
  readonly sequence: number | undefined;
}

/** The change of a node's heartbeat item that a commit makes in the same transaction. */
export type HeartbeatEffect =
  /** Node created: creates the item, or takes over one without `uid`. Beats of an earlier node are cleared. */
  | {
      readonly effect: 'adopt';
      readonly node: string;
      readonly uid: string;
      readonly beat?: StatusBeat;
      readonly expiresAt: EpochMs;
    }
  /** Node deleted: removes beats, lease and `uid`. `version` becomes the given one, which must be higher. */
  | {
      readonly effect: 'retire';
      readonly node: string;
      readonly version: number;
      readonly expiresAt: EpochMs;
    }
  /** A client wrote a status with a changed heartbeat time. An expired entry is created again. */
  | {
      readonly effect: 'beat';
      readonly node: string;
      readonly uid: string;
      readonly beat: StatusBeat;
      readonly expiresAt: EpochMs;
    }
  /** Condition only: the newest beat is still the one that was read (`undefined`: none), and so is the last batch of each of these relays. */
  | {
      readonly effect: 'unmoved';
      readonly node: string;
      readonly observedAt: EpochMs | undefined;
      readonly relays?: readonly SeenBatch[];
    };

/** Condition on another row: the node's NoExecute taints are still those that were read. */
export interface NoExecuteCheck {
  readonly node: string;
  readonly noExecute: readonly NoExecuteTaint[];
}

/** A use of a token that may be used so many times. Its count goes at `expiresAt`. */
export interface TokenUse {
  readonly id: string;
  readonly most: number;
  readonly expiresAt: EpochMs;
}

/** One change of one object with its log entry, to be written in one transaction. */
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
  /**
   * An entry of the same attempt for the slot just below `revision`: a state that the object has between the row that was read and
   * this change. Both entries are written or none. Only for a deletion, whose last state watchers have to see.
   */
  readonly preceding?: LogEntry;
  readonly heartbeat?: HeartbeatEffect;
  readonly check?: NoExecuteCheck;
  readonly capacity?: CapacityEffect;
  /** Conditions on rows of other objects, each about another row. */
  readonly rows?: readonly RowCheck[];
  /** Owner edges of this object that come and go with it. Absent: they stay. */
  readonly edges?: EdgeChange;
  /** For a child that a controller makes, changes or deletes: its turn of the owner has not ended. */
  readonly turn?: TurnCheck;
  readonly addresses?: readonly AddressChange[];
  /** Counts a use of this token. Condition: it has one left. */
  readonly tokenUse?: TokenUse;
  /** The trace of the work that makes this change, as a `traceparent`. A store that keeps none ignores it. */
  readonly trace?: string;
}

/** What became of a commit. */
export type CommitOutcome =
  | { readonly outcome: 'committed' }
  /** The stored object is not the one that was read, or its revision is not lower than the commit's. */
  | { readonly outcome: 'objectConflict' }
  /** One of its slots holds something else already: this attempt can never be committed. */
  | { readonly outcome: 'slotTaken'; readonly slot: Slot }
  /** A condition on the heartbeat item, on the checked node, on other rows, on claims and counters, on addresses, on the owner's turn, or on the uses of a token failed. */
  | { readonly outcome: 'checkFailed' }
  /** TransactionConflict or throttled: nothing was written; the same commit may be sent again. */
  | { readonly outcome: 'busy' }
  /** The answer was lost, so the write may have happened. Read the slot to find out. */
  | { readonly outcome: 'unclear' };
