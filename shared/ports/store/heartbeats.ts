import type { LeaseSpec } from '../../kube/types/coordination.ts';
import type { ObjectMeta } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { LeaseRefusal } from '../../rules/nodes/lease-refusal.ts';
import type { Patience } from '../../rules/patience/adaptive-grace.ts';
import type { RelayBeats, RelayPart, RelayRecord, RelayRoster } from '../../rules/relays/relay-items.ts';
import type { BeatInstants } from '../../rules/zones/future-instants.ts';
import type { StatusBeat } from './commit.ts';
import type { Eventual } from './eventual.ts';
import type { ObjectKey, Revision } from './rows.ts';

/** The stored Lease of a heartbeat item. */
export interface StoredLease {
  readonly uid: string;
  readonly createdAt: EpochMs;
  readonly spec: LeaseSpec;
  readonly metadata: Pick<
    ObjectMeta,
    'generateName' | 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'
  >;
}

/**
 * An item of the roll call (the `heartbeats` table): a node's entry (it has `uid`), a Lease, or both. A marker has neither. All
 * instants are milliseconds of our clock, at which the server received a request.
 */
export interface HeartbeatItem {
  readonly namespace: string;
  readonly name: string;
  /** uid of the Node; absent: the item belongs to no Node. */
  readonly uid?: string;
  /** The newest beat of any source, by our clock. */
  readonly observedAt?: EpochMs;
  readonly leaseAt?: EpochMs;
  readonly statusAt?: EpochMs;
  readonly plainAt?: EpochMs;
  readonly relayAt?: EpochMs;
  /** The latest beat that was taken back because it was ahead of the clock of the pass that read it. */
  readonly aheadAt?: EpochMs;
  /** The longest silence that the Node has survived; absent: none has lengthened its grace period. */
  readonly patience?: Patience;
  /** The clients' `lastHeartbeatTime` strings by condition type, newer than those in the Node. */
  readonly times?: Readonly<Record<string, string>>;
  /** Revision of the Lease: receive time in ms, at least the old one + 1. */
  readonly version?: number;
  /** Increases when something changed that the node must act on. */
  readonly workRevision?: number;
  /** Paths of the parts of relays (see `partPath`) that have the node on their rosters, in a node's entry. */
  readonly relays?: readonly string[];
  /** In an item of `RELAY_ROSTERS`. */
  readonly roster?: RelayRoster;
  /** In an item of `RELAY_BEATS`, before the first batch absent. */
  readonly relayed?: RelayBeats;
  /** How often nodes of the part got new work, in an item of `RELAY_BEATS`. */
  readonly workChanges?: number;
  readonly lease?: StoredLease;
  readonly expiresAt?: EpochMs;
}

/** Namespace and name of a Lease or a heartbeat item. */
export interface LeaseKey {
  readonly namespace: string;
  readonly name: string;
}

/** One heartbeat of a node. */
export interface Beat {
  readonly node: string;
  readonly source: 'plain' | 'status' | 'relay';
  readonly at: EpochMs;
  /** Node uid in the sender's token; `undefined` for an admin. */
  readonly uid?: string;
  /** Only with source `status`. */
  readonly times?: StatusBeat['times'];
  readonly expiresAt: EpochMs;
}

/** What became of a beat. `refused`: there is no item, it has no `uid`, or it belongs to another Node. `item`: the stored item. */
export type BeatOutcome =
  | { readonly outcome: 'accepted'; readonly item: HeartbeatItem }
  | { readonly outcome: 'refused'; readonly item: HeartbeatItem | undefined };

/** A create or a renewal of a Lease. */
export interface LeaseWrite {
  readonly key: LeaseKey;
  /** A renewal keeps the stored uid and creation time and ignores those given here. */
  readonly lease: StoredLease;
  readonly at: EpochMs;
  /** Version that was read; `undefined` for a create. The new one is max(at, expected + 1). */
  readonly expected?: number;
  /** uid of the Node that the sender's token carries. */
  readonly nodeUid?: string;
  /** Absent: the Lease is kept until it is deleted. */
  readonly expiresAt?: EpochMs;
  /**
   * For a create: its namespace as it was read, which must not have changed, in the same transaction. Absent for namespaces that are never
   * without a successor.
   */
  readonly namespace?: { readonly key: ObjectKey; readonly revision: Revision };
}

/** Beats of a node that were ahead of the clock, and what replaces them. */
export interface TakeBack {
  readonly node: string;
  readonly uid: string;
  /** The instants as they were read. */
  readonly read: BeatInstants;
  /** The instants to store, see `takeBackBeats`. */
  readonly next: BeatInstants;
}

/** What a Node has learned by a silence that it survived. */
export interface Learned {
  readonly node: string;
  readonly uid: string;
  /** The patience as it was read; `undefined`: none. */
  readonly read: Patience | undefined;
  readonly next: Patience;
}

/** Milliseconds for which the version of a deleted Lease is kept if the Lease had no expiry, for watches that resume. */
export const LEASE_MARKER_RETENTION_MS = 24 * 3_600_000;

/** Every outcome other than `stored` is a refusal; `item` is then the stored one. `namespaceChanged`: read the namespace again. */
export type LeaseOutcome =
  | { readonly outcome: 'stored'; readonly item: HeartbeatItem }
  | { readonly outcome: LeaseRefusal | 'namespaceChanged'; readonly item: HeartbeatItem | undefined };

/** Namespace of the rosters of relays. No object has such a namespace; the names are `partPath`. */
export const RELAY_ROSTERS = 'relay:rosters';
/** Namespace of what came through relays. */
export const RELAY_BEATS = 'relay:beats';

/** Path of a part of a relay. */
export const partPath = ({ relay, part }: RelayPart): string => `${relay}#${part}`;

/** The inverse of `partPath`. */
export const partOf = (path: string): RelayPart => {
  const end = path.lastIndexOf('#');
  return { relay: path.slice(0, end), part: Number(path.slice(end + 1)) };
};

/** Relays that a node's entry names; whoever moves on is forgotten by the others when its token expires. */
const MOST_RELAYS = 4;

/** The relays of a node after it has joined one, the newest last. */
export const withRelay = (relays: readonly string[] | undefined, path: string): readonly string[] =>
  [...(relays ?? []).filter((one) => one !== path), path].slice(-MOST_RELAYS);

/** What relays store in the `heartbeats` table. Reads are consistent. A scan shows these items, too. */
export interface RelayStore {
  /** The record of a part; without members if nothing is stored. */
  readRelay(part: RelayPart): Promise<RelayRecord>;
  /** Stores a roster, only if the stored one has the revision that was read (`undefined`: none). */
  replaceRoster(
    part: RelayPart,
    read: number | undefined,
    next: RelayRoster,
    expiresAt: EpochMs,
  ): Promise<boolean>;
  /**
   * Stores beats, only if the stored ones have the sequence that was read (`undefined`: none). `workChanges` is kept.
   */
  replaceRelayed(
    part: RelayPart,
    read: number | undefined,
    next: RelayBeats,
    expiresAt: EpochMs,
  ): Promise<boolean>;
  /** Notes in a node's entry that it beats through this part; `false` if the entry is not that of the Node with `uid`. */
  joinRelay(node: string, uid: string, part: RelayPart): Promise<boolean>;
  /** The entries of these nodes, in any order; at most 100. */
  entries(nodes: readonly string[]): Promise<readonly HeartbeatItem[]>;
}

/** The `heartbeats` table. A beat or a renewal costs one write and no read; the store retries on `TransactionConflict`. */
export interface HeartbeatStore extends RelayStore {
  /** Moves `observedAt` and the source's instant forward, each independently. A later stored instant is kept, which is a success. */
  beat(beat: Beat): Promise<BeatOutcome>;
  /** Creates the expired item of a Node again, only if the Node with `uid` exists in the same transaction. */
  remake(beat: Beat & { readonly uid: string }): Promise<BeatOutcome>;
  /**
   * Replaces instants that were ahead of the clock. Writes only if the item is still that of the Node with `uid` and each of these
   * instants is still as it was read; `false` otherwise.
   */
  takeBack(change: TakeBack): Promise<boolean>;
  /** Stores a patience, only if the item is still that of the Node with `uid` and its patience is still as it was read; `false` otherwise. */
  learn(change: Learned): Promise<boolean>;
  /** Renews with `expected`, creates without it (condition: no Lease there). Moves `leaseAt`, `observedAt` and `version`. */
  writeLease(write: LeaseWrite): Promise<LeaseOutcome>;
  /**
   * Removes the Lease, if `expected` (when given) is its version. `version` increases and the node's beats stay; an item without
   * an expiry gets one. The `item` in the outcome is the one before the deletion.
   */
  deleteLease(key: LeaseKey, at: EpochMs, expected?: number): Promise<LeaseOutcome>;
  /** The item of this name, a marker included; `undefined` if there is none. */
  read(key: LeaseKey): Promise<HeartbeatItem | undefined>;
  /** The items with a Lease in this namespace, read consistently. */
  leasesIn(namespace: string): Promise<readonly HeartbeatItem[]>;
  /** Every item, markers included. */
  scan(): AsyncIterable<Eventual<readonly HeartbeatItem[]>>;
  /**
   * Adds 1 to `workRevision` (first value: `now`) of a node's entry, then to `workChanges` of its relays; does nothing if there is no
   * entry.
   */
  bumpWorkRevision(node: string, now: EpochMs): Promise<void>;
}
